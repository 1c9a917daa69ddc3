// The settings of the world: the task whose maps are shown, the discount, and the options.
import { Context } from "./context";
import { el } from "./dom";
import { declaredField, labelOf, labels, rangeField, selectField, sentence, wordField } from "./fields";
import { LIMITS, Setting } from "./schema";
import { optionSetting, withOptionSetting } from "./state";

export function worldPanel(context: Context): HTMLElement {
  const { store } = context;
  const number = rangeField(store, "n", "Number of options", "How many options the agent can choose besides primitive actions.", { min: 1, max: LIMITS.OPTIONS / 2 });
  const task = selectField(store, "task", "Task", "The behaviour that the maps predict: a random walk, an optimal policy for one goal, or the mean over all goals.", {
    walk: "random walk", "1": "optimal for goal 1", "2": "optimal for goal 2", every: "mean over all goals",
  });
  task.classList.add("wide");
  const fields = el(
    "div", { class: "fields" },
    task,
    rangeField(store, "discount", "Discount", "How much each further step into the future counts.", { min: 0.5, max: 0.99, step: 0.01, show: (v) => v.toFixed(2) }),
    declaredField(context, "kind", "Options", "How options are found. An option is a course of several steps that is chosen as one.", (presets) =>
      Object.fromEntries(presets.option_kinds.map((kind) => [kind.name, kind.summary]))),
    number,
    declaredField(context, "ties", "Ties", "What an optimal policy does where several choices are equally good.", (presets) => presets.ties.words ?? {}),
    declaredField(context, "stopping", "Stopping state", "How often the HSR counts the state in which an option stops.", (presets) => presets.stopping_state.words ?? {}),
  );
  const show = () => (number.hidden = store.state.kind === "none");
  show();
  store.listen((changed) => changed.has("kind") && show());
  context.withPresets((presets) => {
    const all = Object.entries(presets.option_settings).map(([name, setting]) => [name, settingField(context, name, setting)] as const);
    number.after(...all.map(([, field]) => field));
    const refresh = () => {
      const read = presets.option_kinds.find((kind) => kind.name === store.state.kind)?.settings ?? [];
      for (const [name, field] of all) field.hidden = !read.includes(name);
    };
    refresh();
    store.listen((changed) => changed.has("kind") && refresh());
  });
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
