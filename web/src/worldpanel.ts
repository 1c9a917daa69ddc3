// The settings of the world: the task whose maps are shown, the discount, and the options.
import { Context } from "./context";
import { DECLARED, OPTION_KINDS, OPTION_SETTINGS, settingsOf } from "./declared";
import { el } from "./dom";
import { declaredField, numberField, rangeField, selectField, sentence } from "./fields";
import { LIMITS } from "./limits";
import { Store } from "./store";

export const discountField = (store: Store) =>
  rangeField(store, "discount", "Discount", "The weight of each further step into the future, from 0 to 0.9999.", { min: 0, max: 0.9999, step: 0.005, slider: [0.5, 0.995] });

export const taskField = (store: Store) =>
  selectField(store, "task", "Task", "The behaviour that the maps predict: a random walk, an optimal policy for one goal, or the mean over all goals.", {
    walk: "random walk", "1": "optimal for goal 1", "2": "optimal for goal 2", every: "mean over all goals",
  });

/** The options and the discount, which stay in sight, and everything else. */
export function worldPanel(context: Context): HTMLElement[] {
  const { store } = context;
  const number = rangeField(store, "n", "Number of options", "How many options the agent can choose besides primitive actions.", { min: 1, max: LIMITS.OPTIONS / 2 });
  const task = taskField(store);
  for (const field of [task, number]) field.classList.add("wide");
  const word = (key: "signs" | "first" | "initiation", label: string) => declaredField(store, key, label, sentence(OPTION_SETTINGS[key].description), OPTION_SETTINGS[key].words ?? {});
  const read: Record<string, HTMLElement> = {
    signs: word("signs", "Signs"),
    first: word("first", "First"),
    seed: numberField(store, "optionSeed", "Seed", sentence(OPTION_SETTINGS.seed.description), { min: 0, max: 999999 }),
    initiation: word("initiation", "Initiation"),
    diffusion_time: numberField(store, "diffusionTime", "Diffusion time", sentence(OPTION_SETTINGS.diffusion_time.description), { min: 1, max: LIMITS.DIFFUSION }),
  };
  const show = () => {
    const { kind } = store.state;
    number.hidden = kind === "none";
    for (const [name, field] of Object.entries(read)) field.hidden = !settingsOf(kind).includes(name);
  };
  store.follow(["kind"], show);
  return [
    el("div", { class: "fields world" },
      declaredField(store, "kind", "Options", "How options are constructed. An option is a policy over several steps that is chosen like one action.", OPTION_KINDS),
      discountField(store)),
    el("details", {}, el("summary", {}, "More settings"), el("div", { class: "fields" },
      task, number, ...Object.values(read),
      declaredField(store, "ties", "Ties", "What an optimal policy does where several choices are equally good.", DECLARED.ties.words ?? {}),
      declaredField(store, "stopping", "Stopping state", "How often the HSR counts the state in which an option stops.", DECLARED.stopping_state.words ?? {}))),
  ];
}
