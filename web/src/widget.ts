// The map viewer in a notebook, for anywidget: hover a state, see its SR row and its HSR row.
import { el } from "./dom";
import { Grid } from "./grid";
import { Channel } from "./channel";
import { drawCursor, drawPlaces } from "./layers";
import { MazeFigure } from "./mazefigure";
import { brief, scaleOf } from "./scale";
import { makeTheme } from "./theme";
import { CheckReply, Replies, Requests, World } from "./schema";
import { Cancelled, Do, floats, Link, Pending } from "./wire";

interface Model {
  get(name: "check"): CheckReply | null;
  get(name: "world"): World;
  send(message: object): void;
  on(event: string, callback: (...given: never[]) => void): void;
  off(event: string, callback: (...given: never[]) => void): void;
}

/** The kernel as a link: the same requests and replies as of the lab's socket. */
class KernelLink implements Link {
  private nextId = 1;
  private readonly waiting = new Map<number, { resolve(reply: never): void; reject(error: Error): void }>();
  private readonly hear = (message: { id?: number; ok?: boolean; error?: string }) => {
    const entry = this.waiting.get(message.id ?? -1);
    if (!entry) return;
    this.waiting.delete(message.id!);
    if (message.ok) entry.resolve(message as never);
    else entry.reject(new Error(message.error ?? "the kernel gave no reason"));
  };

  constructor(private readonly model: Model) {
    model.on("msg:custom", this.hear as never);
  }

  ask<D extends Do>(name: D, fields: Requests[D]): Pending<Replies[D]> {
    const id = this.nextId++;
    const reply = new Promise<Replies[D]>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.model.send({ id, do: name, ...fields });
    const cancel = () => {
      this.waiting.get(id)?.reject(new Cancelled());
      this.waiting.delete(id);
    };
    return { reply, cancel };
  }

  close(): void {
    this.model.off("msg:custom", this.hear as never);
  }
}

function render({ model, el: root }: { model: Model; el: HTMLElement }): () => void {
  const link = new KernelLink(model);
  const theme = makeTheme(isDark(root), "viridis");
  const words = el("p", { "aria-live": "polite" }, "Hover a state, or use the arrow keys.");
  words.id = `hsr-${Math.random().toString(36).slice(2)}`;
  let grid = Grid.read(model.get("world").map);
  let cell = first(model, grid);
  let shown: { state: number; sr: Float32Array; hsr: Float32Array } | null = null;

  const channel = new Channel(link, "rows", 40, {
    done: (reply, fields) => {
      if (fields.world.map !== model.get("world").map) return;
      shown = { state: fields.state, sr: floats(reply.sr), hsr: floats(reply.hsr) };
      words.textContent = `State ${shown.state}. Visits to itself: SR ${brief(shown.sr[shown.state])}, HSR ${brief(shown.hsr[shown.state])}.`;
      for (const map of maps) map.figure.invalidate();
    },
    failed: (message) => (words.textContent = message),
  });
  const want = () => {
    const state = grid.stateAt[cell];
    if (state >= 0) channel.want({ world: model.get("world"), state }, JSON.stringify(model.get("world")));
  };
  const look = (at: number) => {
    if (at < 0 || grid.stateAt[at] < 0 || at === cell) return;
    cell = at;
    want();
  };
  const maps = (["sr", "hsr"] as const).map((which) => {
    const content = () => {
      if (!shown || shown[which].length !== grid.nStates) return { grid };
      const { state } = shown;
      return {
        grid, values: shown[which], scale: scaleOf("log", shown.sr, shown.hsr), bar: true,
        above: (pen: never, frame: never) => {
          drawPlaces(pen, frame, theme, false);
          drawCursor(pen, frame, theme, grid.cellOf[state]);
        },
      };
    };
    const map = new MazeFigure(which.toUpperCase(), content, () => theme, () => 480);
    map.choosable(`${which.toUpperCase()}: arrow keys move to another state`, words.id, { look, press: look, from: () => cell });
    Object.assign(map.figure.element.style, { margin: "0", flex: "1 1 240px", minWidth: "0" });
    return map;
  });
  const row = el("div", {}, ...maps.map((map) => map.figure.element));
  Object.assign(row.style, { display: "flex", flexWrap: "wrap", gap: "16px", maxWidth: "900px" });
  root.append(words, row);

  const changed = () => {
    grid = Grid.read(model.get("world").map);
    shown = null;
    if (grid.stateAt[cell] === undefined || grid.stateAt[cell] < 0) cell = first(model, grid);
    want();
  };
  model.on("change:world", changed as never);
  want();
  return () => {
    model.off("change:world", changed as never);
    channel.drop();
    link.close();
    for (const map of maps) map.figure.remove();
    words.remove();
    row.remove();
  };
}

function first(model: Model, grid: Grid): number {
  const start = model.get("check")?.start ?? null;
  return grid.cellOf[start !== null && start < grid.nStates ? start : 0];
}

/** Whether the notebook around the widget is dark, judged by the colour of its text. */
function isDark(root: HTMLElement): boolean {
  const [r, g, b] = (getComputedStyle(root).color.match(/\d+/g) ?? ["0", "0", "0"]).map(Number);
  return r + g + b > 382;
}

export default { render };
