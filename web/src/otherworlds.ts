// Other worlds by one click: the same maze with other places for start and goals, or other signs of options.
import { Context } from "./context";
import { settingsOf } from "./declared";
import { el } from "./dom";
import { button } from "./fields";
import { Cell, Grid } from "./grid";
import { DRAWN_SIGNS } from "./state";

/** The cells that can be reached from a cell. */
export function reachable(grid: Grid, from: number): number[] {
  const seen = new Set([from]);
  const queue = [from];
  for (const at of queue) {
    const column = at % grid.columns;
    for (const next of [at - grid.columns, at + grid.columns, column > 0 ? at - 1 : -1, column < grid.columns - 1 ? at + 1 : -1]) {
      if (next < 0 || next >= grid.stateAt.length || grid.stateAt[next] < 0 || seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return queue;
}

/** The maze with some places drawn anew among the cells that can be reached from its start. */
export function moved(grid: Grid, signs: readonly Cell[], draw: () => number = Math.random): Grid {
  const start = grid.find("S");
  let made = grid;
  for (const sign of signs) {
    const free = reachable(made, start < 0 ? made.cellOf[0] : start).filter((cell) => made.char(cell) === ".");
    if (free.length) made = made.with(free[Math.floor(draw() * free.length)], sign);
  }
  return made;
}

export function swapped(grid: Grid): Grid {
  const [one, two] = [grid.find("1"), grid.find("2")];
  return one < 0 || two < 0 ? grid : grid.with(two, "1").with(one, "2");
}

/** A row of buttons; each changes the world and then calls `again`. */
export function otherWorlds(context: Context, again: () => void): HTMLElement {
  const { store } = context;
  const use = (change: (grid: Grid) => Grid) => () => {
    store.edit(change(context.grid).text);
    again();
  };
  const signs = button("Other signs", "Draw the signs of the eigenvectors at random: each option climbs its vector or its negative.", () => {
    store.set({ signs: DRAWN_SIGNS, optionSeed: (store.state.optionSeed + 1) % 1_000_000 });
    again();
  }, "quiet");
  const show = () => (signs.hidden = !settingsOf(store.state.kind).includes("signs"));
  show();
  store.listen((changed) => changed.has("kind") && show());
  return el(
    "div", { class: "bar", role: "group", "aria-label": "Other worlds" },
    el("span", { class: "label" }, "Is it luck? Train in another world:"),
    button("Swap goals", "Exchange goal 1 and goal 2.", use(swapped), "quiet"),
    button("Other start", "Put the start elsewhere.", use((grid) => moved(grid, ["S"])), "quiet"),
    button("Other goals", "Put both goals elsewhere.", use((grid) => moved(grid, ["1", "2"])), "quiet"),
    signs,
    button("Other seeds", "Train the next seeds in this world.", () => {
      store.set({ seed: (store.state.seed + store.state.seeds) % 1_000_000 });
      again();
    }, "quiet"),
  );
}
