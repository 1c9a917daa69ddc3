// What every panel of the page works with: state, link, theme, the checked map, and a line for messages.
import { Grid } from "./grid";
import { Lane, LaneEvents } from "./lane";
import { State, worldOf } from "./state";
import { Store } from "./store";
import { Theme } from "./theme";
import { Check, Do, Fields, floats, ints, Link, Replies } from "./wire";

export interface CheckedMap extends Omit<Check, "room_of" | "cells"> {
  map: string;
  rooms: Int32Array;
}

export interface Timings {
  /** Milliseconds from the edit of a wall to the new HSR row on the screen. */
  editToRow: number[];
  /** Milliseconds between frames of playback. */
  frames: number[];
}

export const WORLD_KEYS: readonly (keyof State)[] = [
  "map", "discount", "kind", "n", "signs", "optionSeed", "ties", "stopping", "task",
];

export class Desk {
  readonly timings: Timings = { editToRow: [], frames: [] };
  checked: CheckedMap | null = null;
  theme!: Theme;
  private cachedGrid: Grid;
  private readonly messages = new Map<string, string>();
  private readonly working = new Set<string>();

  constructor(
    readonly store: Store,
    readonly link: Link,
    private readonly say: (message: string, busy: boolean) => void,
  ) {
    this.cachedGrid = Grid.read(store.state.map);
  }

  get grid(): Grid {
    if (this.cachedGrid.text !== this.store.state.map) this.cachedGrid = Grid.read(this.store.state.map);
    return this.cachedGrid;
  }

  /** The state that is looked at: of the cursor's cell, or of the nearest open one. */
  get looked(): number {
    const { grid } = this;
    const at = Math.min(this.store.state.cell, grid.stateAt.length - 1);
    const open = grid.stateAt[at] >= 0 ? at : grid.nearestOpen(at);
    return open < 0 ? -1 : grid.stateAt[open];
  }

  get lookedCell(): number {
    const state = this.looked;
    return state < 0 ? -1 : this.grid.cellOf[state];
  }

  world(): Fields {
    return { world: worldOf(this.store.state, this.grid) };
  }

  worldKey(): string {
    return JSON.stringify(worldOf(this.store.state, this.grid));
  }

  /** A lane whose errors and slowness appear in the message line. */
  lane<D extends Do>(name: D, spacing: number, done: LaneEvents<D>["done"], failed?: () => void): Lane<D> {
    return new Lane<D>(this.link, name, spacing, {
      done: (reply: Replies[D], fields: Fields) => {
        this.tell(name, "");
        done(reply, fields);
      },
      failed: (message) => {
        this.tell(name, message);
        failed?.();
      },
      busy: (is) => this.busy(name, is),
    });
  }

  tell(about: string, message: string): void {
    this.messages.delete(about);
    if (message) this.messages.set(about, message);
    this.refresh();
  }

  /** Something else is looked at: what was wrong elsewhere no longer matters. */
  forget(): void {
    for (const about of this.messages.keys()) if (about !== "connection" && about !== "check") this.messages.delete(about);
    this.refresh();
  }

  busy(about: string, is: boolean): void {
    if (is === this.working.has(about)) return;
    if (is) this.working.add(about);
    else this.working.delete(about);
    this.refresh();
  }

  private refresh(): void {
    const newest = [...this.messages.values()].at(-1) ?? "";
    this.say(newest || (this.working.size ? "Computing…" : ""), this.working.size > 0);
  }
}

export { floats, ints };
