// What every panel of the page works with: state, link, theme, the checked maze, and a line for messages.
import { Grid } from "./grid";
import { Channel, ChannelEvents } from "./channel";
import { State, worldOf } from "./state";
import { Store } from "./store";
import { Theme } from "./theme";
import { CheckReply, PresetsReply, Replies, Requests, World } from "./schema";
import { Do, floats, ints, Link } from "./wire";

export interface CheckedMaze extends Omit<CheckReply, "room_of" | "cells"> {
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
  "map", "discount", "kind", "n", "signs", "settings", "optionSeed", "ties", "stopping", "task",
];

export class Context {
  readonly timings: Timings = { editToRow: [], frames: [] };
  checked: CheckedMaze | null = null;
  theme!: Theme;
  private cachedGrid: Grid;
  private presets: PresetsReply | null = null;
  private readonly waiting: ((presets: PresetsReply) => void)[] = [];
  private readonly messages = new Map<string, string>();
  private readonly working = new Set<string>();

  constructor(
    readonly store: Store,
    readonly link: Link,
    private readonly say: (message: string, busy: boolean) => void,
  ) {
    this.cachedGrid = Grid.read(store.state.map);
    link.ask("presets", {}).reply.then(
      (reply) => {
        this.presets = reply;
        for (const use of this.waiting.splice(0)) use(reply);
      },
      (error: Error) => this.tell("presets", error.message),
    );
  }

  /** Calls `use` with the mazes and registered names of the library, now or once the server has sent them. */
  withPresets(use: (presets: PresetsReply) => void): void {
    if (this.presets) use(this.presets);
    else this.waiting.push(use);
  }

  get grid(): Grid {
    if (this.cachedGrid.text !== this.store.state.map) this.cachedGrid = Grid.read(this.store.state.map);
    return this.cachedGrid;
  }

  /** The state that is looked at: of the cursor's cell, or of the nearest open one. */
  get selected(): number {
    const { grid } = this;
    const at = Math.min(this.store.state.cell, grid.stateAt.length - 1);
    const open = grid.stateAt[at] >= 0 ? at : grid.nearestOpen(at);
    return open < 0 ? -1 : grid.stateAt[open];
  }

  get selectedCell(): number {
    const state = this.selected;
    return state < 0 ? -1 : this.grid.cellOf[state];
  }

  world(): { world: World } {
    return { world: worldOf(this.store.state) };
  }

  worldKey(): string {
    return JSON.stringify(worldOf(this.store.state));
  }

  /** A channel whose errors and delays appear in the message line; those `about` one thing replace each other. */
  channel<D extends Do>(name: D, spacing: number, done: ChannelEvents<D>["done"], failed?: (key: string) => void, about: string = name): Channel<D> {
    return new Channel<D>(this.link, name, spacing, {
      done: (reply: Replies[D], fields: Requests[D], key: string) => {
        this.tell(about, "");
        done(reply, fields, key);
      },
      failed: (message, key) => {
        this.tell(about, message);
        failed?.(key);
      },
      busy: (is) => this.busy(about, is),
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
