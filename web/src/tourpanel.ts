// The panel of the tour: links to its six steps, what each shows, and questions with answers.
import { el } from "./dom";
import { button, labelOf } from "./fields";
import { basisField } from "./featuresview";
import { State } from "./state";
import { Store } from "./store";
import { hashOfStep, Step, STEPS } from "./tour";
import { discountField, taskField } from "./worldpanel";

/** A link to a step. In the frame of a notebook its address alone would lead to the notebook. */
const toStep = (number: number) => ({
  href: hashOfStep(number),
  click: (event: Event) => {
    event.preventDefault();
    location.hash = hashOfStep(number);
  },
});

const SETTINGS = { kind: "options", discount: "discount", task: "task", n: "number of options", basis: "basis", which: "map" } as const;

/** What a step has changed of the world and of the map that is shown, as a sentence. */
function changes(before: Readonly<State>, now: Readonly<State>): string {
  const words = (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).filter((key) => before[key] !== now[key]).map((key) => `${SETTINGS[key]} to ${labelOf(String(now[key]))}`);
  if (before.map !== now.map) words.unshift("the maze to the four rooms");
  return words.length ? ` (This step has set ${words.join(", ")}.)` : "";
}

export class TourPanel {
  readonly element: HTMLElement;
  readonly opener = button("Start the tour", "A guided tour of six steps.", () => (location.hash = hashOfStep(1)), "keep main");
  private readonly links = STEPS.map((step, i) =>
    el("a", { ...toStep(i + 1), title: step.title }, el("span", { class: "number" }, String(i + 1)), el("span", { class: "title" }, step.title)),
  );
  private readonly body = el("div", { class: "words" });
  private readonly fields = { discount: discountField(this.store), task: taskField(this.store), basis: basisField(this.store) };
  private before: Readonly<State>;

  constructor(private readonly store: Store) {
    this.element = el("section", { class: "tour", "aria-label": "Guided tour" },
      el("nav", { "aria-label": "Steps of the tour" }, el("ol", {}, ...this.links.map((link) => el("li", {}, link)))),
      this.body);
    this.before = store.state;
    store.listen((changed) => {
      if (changed.has("tour")) this.refresh();
      this.before = store.state;
    });
    this.refresh();
  }

  private refresh(): void {
    const { tour } = this.store.state;
    const step = STEPS[tour - 1];
    const held = document.activeElement; // the focus stays where the reader is, though what had it is gone
    const [inPanel, inWords] = [this.element.contains(held), this.body.contains(held)];
    this.element.hidden = !step;
    document.body.classList.toggle("touring", step !== undefined);
    this.links.forEach((link, i) => {
      if (i + 1 === tour) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    this.body.replaceChildren(...(step ? this.words(step, tour) : []));
    if (inPanel && !step) this.opener.focus();
    else if (inWords) this.body.querySelector("h2")?.focus();
  }

  private words(step: Step, number: number): HTMLElement[] {
    const link = (to: number, text: string) => el("a", { class: "button", ...toStep(to) }, text);
    const bar = el("div", { class: "bar" });
    if (number > 1) bar.append(link(number - 1, "Back"));
    if (number < STEPS.length) bar.append(link(number + 1, "Next"));
    bar.append(button("End the tour", "Close the tour and keep what is shown.", () => this.store.set({ tour: 0 }), "quiet"));
    const questions = step.asks.map(({ question, answer }) => el("details", { class: "question" }, el("summary", {}, question), el("p", {}, answer)));
    return [
      el("h2", { class: "unseen", tabindex: -1 }, `${number} of ${STEPS.length}: ${step.title}`),
      el("p", { class: "says" }, step.says, changes(this.before, this.store.state)),
      el("div", { class: "needs" }, ...(step.needs ?? []).map((name) => this.fields[name])),
      el("div", { class: "questions", role: "group", "aria-label": "Questions for the class" }, ...questions),
      bar,
    ];
  }
}
