// The settings of the world: the task whose maps are shown, the discount, and the options.
import { Context } from "./context";
import { DECLARED, OPTION_KINDS, OPTION_SETTINGS, Setting, settingsOf } from "./declared";
import { el } from "./dom";
import { declaredField, labelOf, labels, rangeField, selectField, sentence, wordField } from "./fields";
import { LIMITS } from "./limits";
import { optionSetting, withOptionSetting } from "./state";
import { Store } from "./store";

export const discountField = (store: Store) =>
  rangeField(store, "discount", "Discount", "How much each further step into the future counts.", { min: 0.5, max: 0.99, step: 0.01, show: (v) => v.toFixed(2) });

export const taskField = (store: Store) =>
  selectField(store, "task", "Task", "The behaviour that the maps predict: a random walk, an optimal policy for one goal, or the mean over all goals.", {
    walk: "random walk", "1": "optimal for goal 1", "2": "optimal for goal 2", every: "mean over all goals",
  });

export function worldPanel(context: Context): HTMLElement {
  const { store } = context;
  const number = rangeField(store, "n", "Number of options", "How many options the agent can choose besides primitive actions.", { min: 1, max: LIMITS.OPTIONS / 2 });
  const task = taskField(store);
  task.classList.add("wide");
  const all = Object.entries(OPTION_SETTINGS).map(([name, setting]) => [name, settingField(context, name, setting)] as const);
  const fields = el(
    "div", {},
    el("div", { class: "fields" },
      declaredField(store, "kind", "Options", "How options are found. An option is a course of several steps that is chosen as one.", OPTION_KINDS),
      discountField(store)),
    el("details", {}, el("summary", {}, "More settings"), el("div", { class: "fields" },
      task, number, ...all.map(([, field]) => field),
      declaredField(store, "ties", "Ties", "What an optimal policy does where several choices are equally good.", DECLARED.ties.words ?? {}),
      declaredField(store, "stopping", "Stopping state", "How often the HSR counts the state in which an option stops.", DECLARED.stopping_state.words ?? {}))),
  );
  const show = () => {
    const { kind } = store.state;
    number.hidden = kind === "none";
    for (const [name, field] of all) field.hidden = !settingsOf(kind).includes(name);
  };
  show();
  store.listen((changed) => changed.has("kind") && show());
  return fields;
}

/** A field for a setting of options as the library declares it: a word or a number. */
function settingField(context: Context, name: string, setting: Setting): HTMLElement {
  const { store } = context;
  const get = () => String(optionSetting(store.state, name) ?? setting.default ?? "");
  const label = sentence(labelOf(name)).slice(0, -1);
  const field = wordField(label, sentence(setting.description), get, (value) => store.set(withOptionSetting(store.state, name, value)));
  if (setting.words) {
    field.offer(labels(setting.words), setting.words);
    store.listen(field.show);
    return field.element;
  }
  const input = el("input", {
    type: "number", id: field.input.id, title: field.input.title, inputmode: "numeric", min: setting.low ?? undefined, max: setting.high ?? undefined,
    change: () => {
      const value = Math.max(setting.low ?? -Infinity, Math.min(setting.high ?? Infinity, Number(input.value)));
      if (Number.isFinite(value)) store.set(withOptionSetting(store.state, name, Number.isInteger(setting.default) ? Math.round(value) : value));
      show();
    },
  });
  const show = () => (input.value = get());
  show();
  store.listen(show);
  field.input.replaceWith(input);
  return field.element;
}
