// The guided tour: six steps, each a link, with questions for a class and their answers.
import { DEFAULTS, State } from "./state";
import { toHash } from "./fragment";

export interface Step {
  title: string;
  says: string;
  shows: Partial<State>;
  /** The settings that its questions ask to change; they are shown with the questions. */
  needs?: readonly ("discount" | "task" | "basis")[];
  asks: readonly { question: string; answer: string }[];
}

const cell = (row: number, column: number) => row * 13 + column; // of the first maze, four rooms of 13 x 13 cells

export const STEPS: readonly Step[] = [
  {
    title: "What an SR is",
    says:
      "A random walk starts in the framed state. Its row of the successor representation (SR) holds one number per state: the expected number of visits, where a visit n steps away counts as the discount to the power n. Bright states are visited soon and often.",
    shows: { kind: "none", cell: cell(2, 2), held: true },
    needs: ["discount"],
    asks: [
      {
        question: "The walk can leave the room. Why does the colour drop so sharply at the doors?",
        answer: "The walk has to find a door, which is a single cell, and until then it spends its discounted visits inside the room. So the SR shows rooms although nobody told it about rooms.",
      },
      {
        question: "Lower the discount. What happens to the picture, and why?",
        answer: "The bright region shrinks. A visit n steps away counts as the discount to the power n, so with a small discount only the near future counts. With a discount of 0 only the state itself is left.",
      },
    ],
  },
  {
    title: "Move the state",
    says: "Move the pointer over the picture, or focus it and press the arrow keys: each state has its own row of the SR. The diamonds mark the doors. Here the framed state is a door, and its row reaches into two rooms.",
    shows: { kind: "none", cell: cell(3, 6), bottlenecks: true },
    needs: ["discount", "task"],
    asks: [
      {
        question: "Which neighbours have similar rows, and which have very different ones?",
        answer: "The rows of two neighbours inside a room differ less. Those of a door and of the cells beside it differ most, because much of their futures lies in different rooms. It is clearer with a discount near 1, because then more counts than the first few steps.",
      },
      {
        question: "Is the number from state A to state B the same as from B to A?",
        answer: "In this maze yes: a step into a wall stays where it is, which makes the random walk symmetric. It is not so for a policy that heads for a goal. Set Task to a goal and compare.",
      },
    ],
  },
  {
    title: "Switch options on",
    says: "An option is a policy over several steps that is chosen like one action. These are eigenoptions: each climbs an eigenvector of the SR and stops at a local maximum. Choose one of the small pictures. Arrows show its policy, rings show where it stops.",
    shows: { view: "options", option: 0 },
    asks: [
      {
        question: "Look at option 1. Why does it run through doors instead of staying in a room?",
        answer: "The leading eigenvectors change slowest along the maze. They are nearly constant within a room and change across doors, so climbing them means leaving the room.",
      },
      {
        question: "Later options look like waves with several maxima. What does that have to do with their eigenvalues?",
        answer: "A smaller eigenvalue belongs to a vector that changes faster from state to state, as a higher frequency does. It has more maxima, so the next one is often nearer, though not always: compare the longest paths above the pictures.",
      },
    ],
  },
  {
    title: "The HSR",
    says: "The hierarchical SR (HSR) predicts the same visits for a walk that may choose options as well as single steps. Both rows belong to the framed state. The third picture shows where the HSR predicts more visits, and where fewer.",
    shows: { cell: cell(2, 2), held: true, difference: true, discount: 0.95 },
    asks: [
      {
        question: "Where does the HSR predict more visits than the SR, and why there?",
        answer: "In the states where options stop and on the paths that lead to them, also in other rooms. One choice of an option carries the walk across a door that a random walk rarely finds.",
      },
      {
        question: "The total of each row is the same. Why?",
        answer: "Each row counts all visits, and every step is one visit that counts as a power of the discount. Their sum is 1 / (1 - discount) for any policy. The HSR moves visits, it does not add any.",
      },
    ],
  },
  {
    title: "NMF parts",
    says: "Non-negative matrix factorization (NMF) approximates each row of the HSR by a sum of a few non-negative components. Each picture, called a part, shows how much of one component each state has. Choose a part to see it large. States in which the same parts are bright have similar futures.",
    shows: { view: "parts", which: "hsr", basis: "nmf", k: 8, feature: 0 },
    needs: ["basis"],
    asks: [
      {
        question: "What do most parts look like, and what do they remind you of?",
        answer: "Most of them cover one region, such as a room or the surroundings of a place where options stop. They resemble the firing fields of cells that are active in one region of a room.",
      },
      {
        question: "Set Basis to SVD. What is different, and why?",
        answer: "All singular vectors but the first are positive and negative and extend over the whole maze, because they have to be orthogonal. Parts cannot cancel each other, so each has to explain its own region.",
      },
    ],
  },
  {
    title: "Move the goal, watch agents",
    says: "Two agents learn the way from S to goal 1, then the goal moves to 2. One sees states through rows of the SR, the other through rows of the HSR. The solid line is the replayed run. The band shows how other seeds fare, so that one lucky run is not taken for a result.",
    shows: { tab: "watch", trained: true, episode: 50, step: 20 },
    asks: [
      {
        question: "Why do the steps jump up at the line, on average to no fewer than in the very first episode?",
        answer: "The values still lead to goal 1, which no longer pays a reward. The agent has to unlearn them, and with wrong values it can need more steps than without any.",
      },
      {
        question: "Try another world or other seeds. Which of the two agents is better?",
        answer: "That depends on the maze, on the places of the goals, and on the signs of the options. Compare the bands and not two lines. Where the bands overlap, these runs do not say which one is better.",
      },
    ],
  },
];

/** The address of a step, numbered from 1. */
export function hashOfStep(number: number): string {
  return `#${toHash({ ...DEFAULTS, ...STEPS[number - 1].shows, tour: number })}`;
}
