// Controls that show one setting and change it: a label, an input, and one sentence that explains it.
import { el, freshId } from "./dom";
import { State } from "./state";
import { Store } from "./store";

type KeyOf<T> = { [K in keyof State]: State[K] extends T ? K : never }[keyof State];

function helpText(help: string): HTMLElement {
  return el("small", { class: "help", id: freshId() }, help);
}

function wrapped(label: string, help: string, input: HTMLElement): HTMLElement {
  const note = helpText(help);
  const id = freshId();
  input.id = id;
  input.title = help;
  input.setAttribute("aria-describedby", note.id);
  return el("div", { class: "field" }, el("label", { for: id }, label), input, note);
}

export function selectField(
  store: Store, key: KeyOf<string>, label: string, help: string, choices: Record<string, string>, meanings: Record<string, string> = {},
): HTMLElement {
  const field = wordField(label, help, () => store.state[key], (value) => store.set({ [key]: value }));
  field.offer(choices, meanings);
  store.on([key], field.show);
  return field.element;
}

/** A menu whose entries may change: `offer` sets them, with their labels and meanings. */
export function wordField(label: string, help: string, get: () => string, set: (value: string) => void) {
  const input = el("select", { change: () => set(input.value) });
  const show = () => {
    const value = get();
    if (![...input.options].some((option) => option.value === value)) input.append(el("option", { value }, value));
    input.value = value;
    input.title = [help, input.selectedOptions[0]?.title].filter(Boolean).join(" ");
    if (note) note.textContent = input.title;
  };
  const offer = (labels: Record<string, string>, meanings: Record<string, string> = {}) => {
    input.replaceChildren(...Object.entries(labels).map(([value, text]) => el("option", { value, title: meanings[value] && sentence(meanings[value]) }, text)));
    show();
  };
  const element = wrapped(label, help, input);
  const note = element.querySelector("small");
  show();
  return { element, input, offer, show };
}

/** A field for one of the words that the library declares, each with its meaning. */
export function declaredField(store: Store, key: KeyOf<string>, label: string, help: string, words: Record<string, string>): HTMLElement {
  return selectField(store, key, label, help, labels(words), words);
}

const LABELS: Record<string, string> = {
  "": "none", sr: "SR", hsr: "HSR", rw_sr: "SR of the random walk", rw_hsr: "HSR of the random walk", esr: "expected SR", ehsr: "expected HSR",
  svd: "SVD", nmf: "NMF", onehot: "one-hot", spie: "SPIE", spie_l1: "SPIE (L1)",
};

/** The label of a registered name: the usual term of the field, or the name without underscores. */
export function labelOf(name: string): string {
  return Object.hasOwn(LABELS, name) ? LABELS[name] : name.replace(/_/g, " ");
}

export function labels(words: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(words).map((name) => [name, labelOf(name)]));
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

export interface Range {
  min: number;
  max: number;
  step?: number;
  /** Not only integers, and a slider moves evenly in the logarithm. */
  log?: boolean;
  /** The ends of the slider, where the number may lie beyond them. */
  slider?: readonly [number, number];
}

/** A field for a number, which `set` gets within its bounds. */
export function countField(label: string, help: string, { min, max, step = 1, log }: Range, get: () => number, set: (value: number) => void) {
  const input = el("input", {
    type: "number", min, max, step: log ? "any" : step, inputmode: "decimal",
    change: () => {
      const value = Math.max(min, Math.min(max, input.valueAsNumber));
      if (!Number.isNaN(value)) set(log || step < 1 ? value : min + step * Math.round((value - min) / step));
      show();
    },
  });
  const show = () => (input.value = String(get()));
  show();
  return { element: wrapped(label, help, input), show };
}

export function numberField(store: Store, key: KeyOf<number>, label: string, help: string, range: Range): HTMLElement {
  const field = countField(label, help, range, () => store.state[key], (value) => store.set({ [key]: value }));
  store.on([key], field.show);
  return field.element;
}

/** A slider, and beside its label a field for the number with all digits. */
export function rangeField(store: Store, key: KeyOf<number>, label: string, help: string, range: Range): HTMLElement {
  const [low, high] = range.slider ?? [range.min, range.max];
  const toSlider = (value: number) => (range.log ? Math.log(value / low) / Math.log(high / low) : value);
  const fromSlider = (at: number) => (range.log ? Number((low * (high / low) ** at).toPrecision(2)) : at);
  const limits = range.log ? { min: 0, max: 1, step: 0.01 } : { min: low, max: high, step: range.step ?? 1 };
  const input = el("input", { type: "range", "aria-label": label, title: help, ...limits, input: () => store.set({ [key]: fromSlider(Number(input.value)) }) });
  const show = () => {
    const value = store.state[key];
    if (fromSlider(Number(input.value)) !== value) input.value = String(toSlider(value));
    input.setAttribute("aria-valuetext", String(value));
  };
  store.follow([key], show);
  const field = numberField(store, key, label, help, range);
  field.classList.add("range");
  field.append(input);
  return field;
}

export function checkField(store: Store, key: KeyOf<boolean>, label: string, help: string): HTMLElement {
  const note = helpText(help);
  const input = el("input", { type: "checkbox", "aria-describedby": note.id, change: () => store.set({ [key]: input.checked }) });
  const show = () => (input.checked = store.state[key]);
  store.follow([key], show);
  return el("div", { class: "field check", title: help }, el("label", {}, input, el("span", {}, label)), note);
}

/** A row of radio buttons that look like one. */
export function segmentField(
  store: Store, key: KeyOf<string>, label: string, help: string, choices: Record<string, string>, className = "",
): HTMLElement {
  const note = helpText(help);
  const name = freshId();
  const group = el("div", { class: `segments ${className}`, role: "radiogroup", "aria-label": label, "aria-describedby": note.id, title: help });
  const inputs = Object.entries(choices).map(([value, text]) => {
    const input = el("input", { type: "radio", name, value, change: () => store.set({ [key]: value }) });
    group.append(el("label", {}, input, el("span", {}, text)));
    return input;
  });
  const show = () => inputs.forEach((input) => (input.checked = input.value === store.state[key]));
  store.follow([key], show);
  return el("div", { class: "field" }, group, note);
}

export function button(text: string, help: string, press: () => void, className = ""): HTMLButtonElement {
  return el("button", { type: "button", class: className, title: help, click: press }, text);
}
