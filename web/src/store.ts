// The state of the page and its listeners; edits of the maze can be undone.
import { State } from "./state";

export type Listener = (changed: ReadonlySet<keyof State>) => void;

export class Store {
  private readonly listeners: Listener[] = [];
  private past: string[] = [];
  private future: string[] = [];
  private open = false;

  constructor(private current: State) {}

  get state(): Readonly<State> {
    return this.current;
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Calls a function whenever one of these settings changes. */
  on(keys: readonly (keyof State)[], act: () => void): void {
    this.listen((changed) => keys.some((key) => changed.has(key)) && act());
  }

  /** Calls a function now, and whenever one of these settings changes. */
  follow(keys: readonly (keyof State)[], act: () => void): void {
    act();
    this.on(keys, act);
  }

  set(patch: Partial<State>): void {
    const changed = new Set<keyof State>();
    for (const key of Object.keys(patch) as (keyof State)[]) if (patch[key] !== this.current[key]) changed.add(key);
    if (!changed.size) return;
    this.current = { ...this.current, ...patch };
    for (const listener of this.listeners) listener(changed);
  }

  /** Changes the maze and remembers the one before; within a stroke (see `stroke`) only the first one. */
  edit(map: string): void {
    if (map === this.current.map) return;
    if (!this.open || this.strokeStart) {
      this.past.push(this.current.map);
      if (this.past.length > 500) this.past.shift();
      this.future = [];
      this.strokeStart = false;
    }
    this.set({ map });
  }

  private strokeStart = false;

  /** Between stroke(true) and stroke(false) all edits are undone together. */
  stroke(open: boolean): void {
    this.open = open;
    this.strokeStart = open;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): void {
    this.step(this.past, this.future);
  }

  redo(): void {
    this.step(this.future, this.past);
  }

  private step(from: string[], to: string[]): void {
    const map = from.pop();
    if (map === undefined) return;
    to.push(this.current.map);
    this.set({ map });
  }
}
