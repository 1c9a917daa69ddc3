// Writes a Python script that prints the numbers that the page shows.
import { DECLARED, settingsOf } from "../declared";
import { LIMITS } from "../limits";
import { Options, Replies, Requests, Show, World } from "../messages";
import { Scene } from "./grids/scene";
import { Option } from "./options/table";
import { Work } from "./work";
import { choicesOf, codeOfGiven, goalsOfEvery, kindOf, sceneOf } from "./worlds";

type Shown<K extends Show["kind"]> = Extract<Show, { kind: K }>;
type Agent = Record<string, unknown> & { options?: boolean };

export async function answerPython({ world, show }: Requests["python"], work: Work): Promise<Replies["python"]> {
  const scene = sceneOf(world);
  const { options, unique } = await choicesOf(world, work);
  const lines = [...worldLines(scene, world, options), ...shownLines(scene, world, show)];
  const numpy = lines.some((line) => line.includes("np.")) ? ["import numpy as np"] : [];
  return { code: [...doubts(world, show, unique), "import json", "", ...numpy, "import hsr", "", ...lines].join("\n") + "\n" };
}

/** Comments that say why numbers may differ from those on the page. */
function doubts({ reading }: World, { kind }: Show, unique: boolean): string[] {
  const reasons = [];
  if (!unique) reasons.push("Some eigenvalues of this maze are almost equal, so the options depend on rounding and numbers may differ.");
  if (kind === "train" || kind === "explore") reasons.push("The page draws other random numbers than Python, so its runs of a seed differ, and averages over seeds agree.");
  else if (reading.ties === "random") reasons.push("The page draws other random numbers than Python, so ties that are broken at random differ.");
  return reasons.length ? [...reasons.map((reason) => `# ${reason}`), ""] : [];
}

const NO_OPTIONS = "none";

function shownLines(scene: Scene, world: World, show: Show): string[] {
  if (show.kind === "rows" || show.kind === "matrix") return rowsLines(scene, world, show);
  if (show.kind === "world") return WORLD_LINES;
  if (show.kind === "distance") return distanceLines(scene, world, show);
  if (show.kind === "basis") return basisLines(scene, world, show);
  if (show.kind === "train") return trainLines(show);
  return exploreLines(show);
}

/** A number, a word or a truth value as Python writes it. */
function written(value: unknown): string {
  if (typeof value === "string") return `'${value}'`;
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : String(value);
}

/** The expression that builds a specification; what has its default is not written. */
function codeOf(name: string, given: Record<string, unknown>): string {
  const usual = DECLARED.specifications[name];
  const fields = Object.keys(usual).filter((field) => field in given && given[field] !== usual[field]);
  return `hsr.${name}(${fields.map((field) => `${field}=${written(given[field])}`).join(", ")})`;
}

function worldLines(scene: Scene, world: World, options: readonly Option[]): string[] {
  const [text, goals] = textAndGoals(scene);
  return [
    `layout = hsr.GridLayout.from_text("""\\\n${text}\n""")`,
    `goals = ${goals}`,
    `mdp = hsr.grid_mdp(layout, discount=${written(world.discount)})`,
    `options = ${optionsCode(world.options, options)}`,
    "",
  ];
}

/** The text of the maze, and the code that finds its goals. Goals that a text cannot have are named by their cells. */
function textAndGoals({ layout, goals }: Scene): [string, string] {
  const { parts, columns } = layout;
  const states = [...goals.values()];
  const origin = layout.start < 0 ? states[0] : layout.start;
  const inOrder = [...goals.keys()].every((number, i) => number === i + 1);
  if (inOrder && states.every((goal) => parts.of[goal] === parts.of[origin])) {
    const signs = [...layout.toText()];
    goals.forEach((goal, number) => {
      const cell = layout.cellOf[goal];
      signs[cell + Math.floor(cell / columns)] = String(number);
    });
    return [signs.join(""), "dict(enumerate(layout.goals, start=1))"];
  }
  const place = (goal: number) => `(${Math.floor(layout.cellOf[goal] / columns)}, ${layout.cellOf[goal] % columns})`;
  return [layout.toText(), `{${[...goals].map(([number, goal]) => `${number}: layout.state_at${place(goal)}`).join(", ")}}`];
}

/** The expression that makes the options. What the page has drawn at random is written out. */
function optionsCode(asked: Options, made: readonly Option[]): string {
  if (asked.kind === NO_OPTIONS) {
    const nothing = "np.zeros((0, mdp.n_states), dtype=int)";
    return `hsr.OptionSet(policy=${nothing}, termination=${nothing})`;
  }
  if (asked.kind === "random") return `hsr.point_options(mdp, targets=[${made.map(({ target }) => target).join(", ")}])`;
  const signs = asked.signs === "random" ? made.map(({ name }) => name[0]).filter((sign) => sign !== "v").join("") : asked.signs;
  const given: Record<string, unknown> = { ...asked, signs };
  const settings = settingsOf(asked.kind).map((name) => `, ${name}=${written(given[name])}`).join("");
  return `hsr.make_options(mdp, ${written(asked.kind)}, n_options=${made.length}${settings})`;
}

/** The lines that make maps, given by the names of their variables. */
function mapLines(scene: Scene, world: World, maps: Record<string, string>): string[] {
  const made = Object.entries(maps).map(([variable, which]) => ({ variable, which, kind: kindOf(world, which) }));
  const named = (kind: string) => Object.hasOwn(DECLARED.representations, kind);
  const lines = [];
  if (made.some(({ kind }) => named(kind) && reads(kind).includes("tasks"))) lines.push(tasksLine(scene));
  if (made.some(({ kind }) => kind === "sr" || kind === "hsr")) lines.push(...goalLines(scene, world));
  for (const { variable, which, kind } of made) {
    const given = codeOfGiven(kind);
    if (given) lines.push(`${variable} = ${given}`);
    else if (named(kind)) lines.push(`${variable} = ${mapCode(world, kind)}`);
    else if (which === "sr") lines.push(`${variable} = hsr.successor_representation(mdp, hsr.greedy_policy(mdp, task), task=task)`);
    else lines.push(`${variable} = hsr.hierarchical_sr(model, mu, stopping_state=${written(world.reading.stopping_state)})`);
  }
  return [...lines, ""];
}

const reads = (kind: string) => DECLARED.representations[kind].settings;

function mapCode(world: World, kind: string): string {
  const { ties, stopping_state } = world.reading;
  const given: Record<string, string> = { tasks: "tasks", ties: written(ties), stopping_state: written(stopping_state) };
  const settings = reads(kind).filter((name) => Object.hasOwn(given, name)).map((name) => `, ${name}=${given[name]}`);
  return `hsr.make_representation(mdp, ${written(kind)}, options${settings.join("")})`;
}

function tasksLine({ layout }: Scene): string {
  if (layout.nStates <= LIMITS.SMALL_SIDE ** 2) return "tasks = hsr.goal_tasks(mdp)";
  return `tasks = [hsr.GoalTask(start=None, goal=goal) for goal in [${goalsOfEvery(layout.nStates).join(", ")}]]`;
}

function goalLines(scene: Scene, world: World): string[] {
  scene.goal(Number(world.task));
  return [
    `task = hsr.GoalTask(start=None, goal=goals[${world.task}])`,
    "model = hsr.option_model(mdp, options, task=task)",
    `mu = hsr.plan_over_options(model, task, ties=${written(world.reading.ties)})`,
  ];
}

/** One row of each map that is shown, or all rows. */
function rowsLines(scene: Scene, world: World, show: Shown<"rows" | "matrix">): string[] {
  const maps: Record<string, string> = { sr: "sr", hierarchical: "hsr", ...(show.which === null ? {} : { other: show.which }) };
  const part = show.kind === "rows" ? `.rows(${show.state})` : ".toarray()";
  const named = Object.keys(maps).map((variable) => `'${variable === "hierarchical" ? "hsr" : variable}': ${variable}${part}`);
  const reward = (show.kind === "rows" && show.reward) || [];
  if (reward.length) named.push("'sr_value': sr @ reward", "'hsr_value': hierarchical @ reward");
  return [
    ...mapLines(scene, world, maps),
    ...(reward.length ? [`reward = np.array([${reward.join(", ")}])`] : []),
    `shown = {${named.join(", ")}}`,
    "print(json.dumps({name: numbers.tolist() for name, numbers in shown.items()}))",
  ];
}

function distanceLines(scene: Scene, world: World, show: Shown<"distance">): string[] {
  const flat = show.srDiscount === world.discount ? [] : [`sr = hsr.successor_representation(hsr.grid_mdp(layout, discount=${written(show.srDiscount)}))`];
  return [
    ...mapLines(scene, world, { sr: "sr", hierarchical: "hsr" }), ...flat,
    "shown = {}",
    'for name, M in (("sr", sr), ("hsr", hierarchical)):',
    `    found = hsr.horizon(M, mdp, states=[${show.state}])`,
    '    shown[name] = {"length": found.length, "distances": found.distances.tolist(), "visits": np.exp(found.log_visits).tolist()}',
    "print(json.dumps(shown))",
  ];
}

/** What the view of options shows: where each leads and stops, and the spectrum of the random walk. */
const WORLD_LINES = [
  "shown = [",
  "    {",
  '        "name": option.name,',
  '        "policy": np.where(option.initiation, option.policy, -1).tolist(),',
  '        "ends": np.flatnonzero(option.termination).tolist(),',
  "    }",
  "    for option in options",
  "]",
  `spectrum = np.linalg.eigvalsh(hsr.successor_representation(mdp).toarray())[::-1][:${LIMITS.EIGENVALUES}]`,
  'print(json.dumps({"options": shown, "spectrum": spectrum.tolist()}))',
];

const BASES: Record<string, (n: number) => string> = {
  nmf: (n) => `hsr.NMFBasis(n_components=${n}, max_iter=${LIMITS.NMF_ITERATIONS})`,
  svd: (n) => `hsr.SVDBasis(n_components=${n})`,
  rows: () => "hsr.RowBasis()",
  onehot: () => "hsr.OneHotBasis()",
};

function basisLines(scene: Scene, world: World, show: Shown<"basis">): string[] {
  return [
    ...mapLines(scene, world, { M: show.which }),
    `basis = ${BASES[show.basis](show.n)}`,
    `basis.fit(${world.task === "every" ? "np.asarray(M)" : "M"})`,
    "size = np.linalg.norm(basis.features_, axis=0)",
    "strength = np.float32(size * np.linalg.norm(basis.components_, axis=1))",
    `strongest = np.argsort(-strength, kind="stable")[:${show.n}]`,
    'print(json.dumps({"features": basis.features_.T[strongest].tolist()}))',
  ];
}

function agentLines(agents: Agent[], name: string): string[] {
  return agents.map((agent) => `    (${codeOf(name, agent)}, ${agent.options === false ? "None" : "options"}),`);
}

const seedsOf = ({ seed, n_seeds }: { seed: number; n_seeds: number }) => (n_seeds > 1 ? `range(${seed}, ${seed + n_seeds})` : `[${seed}]`);

function trainLines(show: Shown<"train">): string[] {
  return [
    "tasks = [hsr.GoalTask(start=layout.start, goal=goals[number]) for number in (1, 2)]",
    "distance = layout.distances_from(layout.start)",
    'shown = {"optimal": [int(distance[task.goal]) for task in tasks], "agents": []}',
    `lengths = dict(episodes=${show.episodes}, horizon=${show.horizon})`,
    "for agent, chosen in (",
    ...agentLines(show.agents, "LinearQ"),
    "):",
    `    run = hsr.train(mdp, tasks, agent, chosen, seeds=${seedsOf(show)}, **lengths)`,
    '    steps = {"steps": run.steps[0].tolist(), "all_steps": run.steps.tolist()}',
    '    shown["agents"].append(steps)',
    "print(json.dumps(shown))",
  ];
}

function exploreLines(show: Shown<"explore">): string[] {
  const agents = show.agents.map((agent) => ({ ...agent, bonus: agent.bonus === "none" ? null : agent.bonus }));
  return [
    `times = 1 + np.arange(${LIMITS.COVERAGE_TIMES}) * ${show.steps - 1} // ${LIMITS.COVERAGE_TIMES - 1}`,
    'shown = {"times": times.tolist(), "agents": []}',
    `lengths = dict(seeds=${seedsOf(show)}, steps=${show.steps}, start=layout.start)`,
    "for agent, chosen in (",
    ...agentLines(agents, "Sarsa"),
    "):",
    "    run = hsr.explore(mdp, agent, chosen, **lengths)",
    "    coverage, first_visit = run.coverage[:, times - 1], run.first_visit[0]",
    '    seen = {"all_coverage": coverage.tolist(), "first_visit": first_visit.tolist()}',
    '    shown["agents"].append(seen)',
    "print(json.dumps(shown))",
  ];
}
