// What all panels share: the state, the worker, the theme, the maze and the line of messages.
import { Channel, ChannelEvents } from "./channel";
import { sentence } from "./fields";
import { Grid } from "./grid";
import { tooLarge } from "./limits";
import { Layout } from "./local/grids/layout";
import { Checked, describe, readScene } from "./local/grids/scene";
import { Link } from "./local/link";
import { Do, Replies, Requests, World } from "./messages";
import { State, worldOf } from "./state";
import { Store } from "./store";
import { Theme } from "./theme";

export const WORLD_KEYS: readonly (keyof State)[] = [
  "map", "discount", "kind", "n", "signs", "first", "initiation", "diffusionTime", "optionSeed", "ties", "stopping", "task",
];

export class Context {
  readonly link = new Link();
  theme!: Theme;
  private drawn: { grid: Grid; layout: Layout; checked: Checked } | null = null;
  private readonly messages = new Map<string, string>();
  private readonly working = new Set<string>();

  constructor(
    readonly store: Store,
    private readonly say: (message: string, busy: boolean) => void,
  ) {}

  private get maze() {
    const { map } = this.store.state;
    if (this.drawn?.grid.text !== map) {
      const scene = readScene(map);
      this.drawn = { grid: Grid.read(map), layout: scene.layout, checked: describe(scene) };
    }
    return this.drawn;
  }

  /** Steps from a state to every other one, -1 where there is no path. */
  distancesFrom(state: number): Int32Array {
    return this.maze.layout.distancesTo(state);
  }

  get grid(): Grid {
    return this.maze.grid;
  }

  /** The rooms, bottlenecks and problems of the maze as it is drawn. */
  get checked(): Checked {
    return this.maze.checked;
  }

  /** The state that is looked at: of the cursor's cell, or of the nearest open one. */
  get selected(): number {
    const { grid } = this;
    const at = Math.min(this.store.state.cell, grid.stateAt.length - 1);
    const open = grid.stateAt[at] >= 0 ? at : grid.nearestOpen(at);
    return open < 0 ? -1 : grid.stateAt[open];
  }

  /** Whether the maze is too large for all but rows and options. */
  get isLarge(): boolean {
    return tooLarge("", this.grid) !== "";
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
        this.tell(about, sentence(message));
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

  /** Clears the messages of the former view. */
  forget(): void {
    for (const about of this.messages.keys()) if (about !== "link") this.messages.delete(about);
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
