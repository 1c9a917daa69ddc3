// Views that are computed for small mazes only; a larger maze gets one sentence instead.
import { Context } from "./context";
import { el } from "./dom";
import { tooLarge } from "./limits";

/** Returns an element with the view, or with one sentence where the maze is too large for it. */
export function bounded(context: Context, what: string, ...view: HTMLElement[]): HTMLElement {
  const sentence = el("p", { class: "described" });
  const inside = el("div", { class: "view" }, ...view);
  const refresh = () => {
    sentence.textContent = tooLarge(what, context.grid);
    sentence.hidden = !sentence.textContent;
    inside.hidden = !sentence.hidden;
  };
  context.store.follow(["map"], refresh);
  return el("div", { class: "view" }, sentence, inside);
}
