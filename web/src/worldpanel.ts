// The readings of the world: whose maps are shown, how far ahead they look, and which options there are.
import { Desk } from "./desk";
import { el } from "./dom";
import { numberField, rangeField, selectField } from "./fields";

export function worldPanel(desk: Desk): HTMLElement {
  const { store } = desk;
  const signs = selectField(store, "signs", "Signs", "An eigenvector and its negative lead opposite ways; keep one, or both.", { positive: "one per pair", both: "both" });
  const seed = numberField(store, "optionSeed", "Option seed", "The same number draws the same random options.", { min: 0, max: 999999 });
  const number = rangeField(store, "n", "Number of options", "How many options the agent may choose besides single steps.", { min: 1, max: 32 });
  const show = () => {
    const { kind } = store.state;
    signs.hidden = kind !== "eigen";
    seed.hidden = kind !== "random";
    number.hidden = kind === "none";
  };
  show();
  store.listen((changed) => changed.has("kind") && show());
  const task = selectField(store, "task", "Task", "Whose behaviour the maps predict: a random walk, the best way to a goal, or the mean over every goal.", {
    walk: "random walk", "1": "best way to goal 1", "2": "best way to goal 2", every: "mean over every goal",
  });
  task.classList.add("wide");
  return el(
    "div", { class: "fields" },
    task,
    rangeField(store, "discount", "Discount", "How much each step further into the future still counts.", { min: 0.5, max: 0.99, step: 0.01, show: (v) => v.toFixed(2) }),
    selectField(store, "kind", "Options", "An option is a course of several steps, chosen as one: climbing a slow eigenvector, joining far ends, or going to random places.", {
      eigen: "eigenoptions", covering: "covering", random: "random places", none: "none",
    }),
    number,
    signs,
    seed,
    selectField(store, "ties", "Ties", "What the best policy does where several choices are equally good.", {
      uniform: "share evenly", options: "options first", primitives: "steps first",
    }),
    selectField(store, "stopping", "Stopping state", "Whether the state where an option stops is counted once, or also by the option itself.", {
      counted_once: "counted once", counted_twice: "counted twice",
    }),
  );
}
