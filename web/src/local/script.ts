// What a page shows as a script of Python that prints the same numbers: the text that the server writes.
import { LIMITS, Online } from "../schema";
import { Answer } from "./answer";
import { DEFINITIONS, READS, SPECIFICATIONS, PRESETS } from "./declared";
import { Scene } from "./grids/scene";
import { Refused } from "./refused";
import { Filled, FilledRequest } from "./request";
import { choicesOf, goalsOfEvery, kindOf, sceneOf } from "./worlds";

type Show = FilledRequest<"python">["show"];
type Shown<K extends Show["kind"]> = Required<Extract<Show, { kind: K }>>;
type Agent = Record<string, unknown> & { options: boolean; online?: Online | null };

export const answerPython: Answer<"python"> = async ({ world, show }, work) => {
  const scene = sceneOf(world);
  const { at_most, n, kind } = world.options;
  const count = at_most && kind !== NO_OPTIONS ? (await choicesOf(world, work)).options.length : n;
  const lines = [...worldLines(scene, world, count), ...shownLines(scene, world, show)];
  const numpy = lines.some((line) => line.includes("np.")) ? ["import numpy as np"] : [];
  return { code: ["import json", "", ...numpy, "import hsr", "", ...lines].join("\n") + "\n" };
};

const NO_OPTIONS = "none";

function shownLines(scene: Scene, world: Filled, show: Show): string[] {
  if (show.kind === "rows") return rowsLines(scene, world, show as Shown<"rows">);
  if (show.kind === "basis") return basisLines(scene, world, show as Shown<"basis">);
  if (show.kind === "train") return trainLines(show as Shown<"train">);
  return exploreLines(show as Shown<"explore">);
}

/** A number, a word or a truth value as Python writes it; `real` numbers have a point. */
function written(value: unknown, real = false): string {
  if (typeof value === "string") return `'${word(value)}'`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "number") return "None";
  if (!real) return String(value);
  const [digits, power] = value.toExponential().split("e");
  if (value !== 0 && (Number(power) < -4 || Number(power) >= 16)) {
    return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** No text of a page enters a script unread: all that may be named are words, and signs of vectors. */
function word(text: string): string {
  if (!/^[\w+-]*$/.test(text)) throw new Refused("a script can only name words");
  return text;
}

/** The expression that builds a specification; what has its default is not written. */
function codeOf(name: string, given: Record<string, unknown>, declared: string): string {
  const usual = SPECIFICATIONS[name];
  const fields = Object.keys(usual).filter((field) => (given[field] ?? null) !== usual[field]);
  const real = (field: string) => DEFINITIONS[declared]?.properties?.[field]?.type === "number";
  return `hsr.${name}(${fields.map((field) => `${field}=${written(given[field], real(field))}`).join(", ")})`;
}

function worldLines(scene: Scene, world: Filled, count: number): string[] {
  const [text, goals] = textAndGoals(scene);
  return [
    `layout = hsr.GridLayout.from_text("""\\\n${text}\n""")`,
    `goals = ${goals}`,
    `mdp = hsr.grid_mdp(layout, discount=${written(world.discount, true)})`,
    `options = ${optionsCode(world.options, count)}`,
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

function optionsCode(options: Filled["options"], count: number): string {
  if (options.kind === NO_OPTIONS) {
    const nothing = "np.zeros((0, mdp.n_states), dtype=int)";
    return `hsr.OptionSet(policy=${nothing}, termination=${nothing})`;
  }
  const names = PRESETS.option_kinds.find(({ name }) => name === options.kind)?.settings ?? [];
  const settings = names.map((name) => `, ${name}=${written(options[name as keyof typeof options])}`).join("");
  return `hsr.make_options(mdp, ${written(options.kind)}, n_options=${count}${settings})`;
}

/** The lines that make maps, given by the names of their variables. */
function mapLines(scene: Scene, world: Filled, maps: Record<string, string>): string[] {
  const made = Object.entries(maps).map(([variable, which]) => ({ variable, which, kind: kindOf(world, which) }));
  const named = (kind: string) => Object.hasOwn(READS, kind);
  const lines = [];
  if (made.some(({ kind }) => named(kind) && READS[kind].includes("tasks"))) lines.push(tasksLine(scene));
  if (made.some(({ kind }) => !named(kind))) lines.push(...goalLines(scene, world));
  for (const { variable, which, kind } of made) {
    if (named(kind)) lines.push(`${variable} = ${mapCode(world, kind)}`);
    else if (which === "sr") lines.push(`${variable} = hsr.successor_representation(mdp, hsr.greedy_policy(mdp, task), task=task)`);
    else lines.push(`${variable} = hsr.hierarchical_sr(model, mu, stopping_state=${written(world.reading.stopping_state)})`);
  }
  return [...lines, ""];
}

function mapCode(world: Filled, kind: string): string {
  const { ties, stopping_state } = world.reading;
  const given: Record<string, string> = { tasks: "tasks", ties: written(ties), stopping_state: written(stopping_state) };
  const settings = READS[kind].filter((name) => Object.hasOwn(given, name)).map((name) => `, ${name}=${given[name]}`);
  return `hsr.make_representation(mdp, ${written(kind)}, options${settings.join("")})`;
}

function tasksLine({ layout }: Scene): string {
  if (layout.nStates <= LIMITS.EVERY_GOAL_STATES) return "tasks = hsr.goal_tasks(mdp)";
  return `tasks = [hsr.GoalTask(start=None, goal=goal) for goal in [${goalsOfEvery(layout.nStates).join(", ")}]]`;
}

function goalLines(scene: Scene, world: Filled): string[] {
  scene.goal(Number(world.task));
  return [
    `task = hsr.GoalTask(start=None, goal=goals[${world.task}])`,
    "model = hsr.option_model(mdp, options, task=task)",
    `mu = hsr.plan_over_options(model, task, ties=${written(world.reading.ties)})`,
  ];
}

function rowsLines(scene: Scene, world: Filled, show: Shown<"rows">): string[] {
  const maps: Record<string, string> = { sr: "sr", hierarchical: "hsr" };
  const rows = [`'sr': sr.rows(${show.state})`, `'hsr': hierarchical.rows(${show.state})`];
  if (show.which !== null) {
    maps.other = show.which;
    rows.push(`'other': other.rows(${show.state})`);
  }
  return [
    ...mapLines(scene, world, maps),
    `rows = {${rows.join(", ")}}`,
    "print(json.dumps({name: row.tolist() for name, row in rows.items()}))",
  ];
}

function basisLines(scene: Scene, world: Filled, show: Shown<"basis">): string[] {
  const spec = codeOf("BasisSpec", { ...show, kind: show.basis, n_components: show.n }, "ShowBasis");
  return [
    ...mapLines(scene, world, { M: show.which }),
    `basis = ${spec}.estimator(mdp.n_states)`,
    ...(show.basis === "nmf" ? [`basis.max_iter = ${LIMITS.NMF_ITERATIONS}`] : []),
    `basis.fit(${world.task === "every" ? "np.asarray(M)" : "M"})`,
    "size = np.linalg.norm(basis.features_, axis=0)",
    "strength = np.float32(size * np.linalg.norm(basis.components_, axis=1))",
    `strongest = np.argsort(-strength, kind="stable")[:${show.n}]`,
    'print(json.dumps({"features": basis.features_.T[strongest].tolist()}))',
  ];
}

function agentLines(agents: object[], name: string, declared: string): string[] {
  return (agents as Agent[]).map((agent) => `    (${codeOf(name, agent, declared)}, ${chosen(agent)}),`);
}

/** The options that an agent can choose: those of the world, or those that it finds itself. */
function chosen(agent: Agent): string {
  if (!agent.options) return "None";
  return agent.online ? codeOf("OnlineOptions", { ...SPECIFICATIONS.OnlineOptions, ...agent.online }, "Online") : "options";
}

function trainLines(show: Shown<"train">): string[] {
  const { seed, n_seeds } = show;
  return [
    "tasks = [hsr.GoalTask(start=layout.start, goal=goals[number]) for number in (1, 2)]",
    "distance = layout.distances_from(layout.start)",
    'shown = {"optimal": [int(distance[task.goal]) for task in tasks], "agents": []}',
    `lengths = dict(episodes=${show.episodes}, horizon=${show.horizon})`,
    "for agent, chosen in (",
    ...agentLines(show.agents, "LinearQ", "Learner"),
    "):",
    `    run = hsr.train(mdp, tasks, agent, chosen, seeds=${n_seeds > 1 ? `range(${seed}, ${seed + n_seeds})` : `[${seed}]`}, **lengths)`,
    '    steps = {"steps": run.steps[0].tolist(), "all_steps": run.steps.tolist()}',
    '    shown["agents"].append(steps)',
    "print(json.dumps(shown))",
  ];
}

function exploreLines(show: Shown<"explore">): string[] {
  const agents = show.agents.map((agent) => ({ ...agent, bonus: agent.bonus === "none" ? null : agent.bonus }));
  return [
    `times = np.rint(np.linspace(1, ${show.steps}, ${LIMITS.COVERAGE_TIMES})).astype(int)`,
    'shown = {"times": times.tolist(), "agents": []}',
    `lengths = dict(seeds=[${show.seed}], steps=${show.steps}, start=layout.start)`,
    "for agent, chosen in (",
    ...agentLines(agents, "Sarsa", "Explorer"),
    "):",
    "    run = hsr.explore(mdp, agent, chosen, **lengths)",
    "    coverage, first_visit = run.coverage[0, times - 1], run.first_visit[0]",
    '    seen = {"coverage": coverage.tolist(), "first_visit": first_visit.tolist()}',
    '    shown["agents"].append(seen)',
    "print(json.dumps(shown))",
  ];
}
