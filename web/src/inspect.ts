// `window.hsrLab` tells tests what the page shows.
import { Context } from "./context";
import { Explore } from "./explore";
import { See } from "./see";
import { State } from "./state";
import { Watch } from "./watch";

declare global {
  interface Window {
    hsrLab: object;
  }
}

export function inspectable(context: Context, see: See, watch: Watch, explore: Explore): object {
  const { store } = context;
  return {
    look: (cell: number) => store.set({ cell }),
    get state(): Readonly<State> {
      return store.state;
    },
    get selected() {
      return context.selected;
    },
    get rows() {
      const { shown } = see.rows;
      return shown && { map: shown.grid.text, state: shown.state, sr: [...shown.sr], hsr: [...shown.hsr], other: shown.other && [...shown.other] };
    },
    get distance() {
      return see.distance.shown;
    },
    get options() {
      return see.options.options.length;
    },
    get features() {
      return see.features.features.map((feature) => [...feature]);
    },
    get matrices() {
      return Object.keys(see.matrices.matrices);
    },
    get training() {
      const { running } = watch;
      return running && {
        steps: running.agents.map((agent) => [...agent.steps]),
        optimal: running.optimal,
        episode: watch.episode,
        step: watch.step,
        playing: watch.player.playing,
        nSeeds: running.nSeeds,
        mean: running.spreads.map((spread) => [...spread.mean]),
        band: running.spreads.map((spread) => [[...spread.low], [...spread.high]]),
      };
    },
    get exploration() {
      const { found } = explore;
      return found && { coverage: found.coverage.map((one) => [...one]), firstVisit: found.firstVisit.map((one) => [...one]), mean: found.spreads.map(({ mean }) => [...mean]), time: explore.time };
    },
  };
}
