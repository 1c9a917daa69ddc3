// Buttons that train in another world: the same maze with another start, other goals, other signs or other seeds.
import { Context } from "./context";
import { settingsOf } from "./declared";
import { el } from "./dom";
import { button } from "./fields";
import { Cell, FLOOR, Grid } from "./grid";

/** The maze with some signs moved at random to empty cells that can be reached from its start. */
function moved(context: Context, signs: readonly Cell[]): Grid {
  const distances = context.distancesFrom(context.checked.start ?? 0);
  let made = context.grid;
  for (const sign of signs) {
    const free = made.cellOf.filter((cell, state) => distances[state] >= 0 && made.char(cell) === FLOOR);
    if (free.length) made = made.with(free[Math.floor(Math.random() * free.length)], sign);
  }
  return made;
}

function swapped(grid: Grid): Grid {
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
    store.set({ signs: "random", optionSeed: (store.state.optionSeed + 1) % 1_000_000 });
    again();
  }, "quiet");
  const show = () => (signs.hidden = !settingsOf(store.state.kind).includes("signs"));
  store.follow(["kind"], show);
  return el(
    "div", { class: "bar", role: "group", "aria-label": "Other worlds" },
    el("span", { class: "label" }, "Is it luck? Train in another world:"),
    button("Swap goals", "Exchange goal 1 and goal 2.", use(swapped), "quiet"),
    button("Other start", "Put the start elsewhere.", use(() => moved(context, ["S"])), "quiet"),
    button("Other goals", "Put both goals elsewhere.", use(() => moved(context, ["1", "2"])), "quiet"),
    signs,
    button("Other seeds", "Train the next seeds in this world.", () => {
      store.set({ seed: (store.state.seed + store.state.seeds) % 1_000_000 });
      again();
    }, "quiet"),
  );
}
