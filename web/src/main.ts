// The page of hsr lab: draw a maze, see its predictive maps, watch agents transfer.
import { RampName } from "./colour";
import { Context, ints } from "./context";
import { el } from "./dom";
import { Editor } from "./editor";
import { Explore } from "./explore";
import { button } from "./fields";
import { MazeMenu } from "./mazemenu";
import { Figure } from "./figure";
import { See } from "./see";
import { Socket } from "./socket";
import { fromHash, State, toHash } from "./state";
import { Store } from "./store";
import { Show, Exporter } from "./export";
import { makeTheme } from "./theme";
import { Watch } from "./watch";
import { worldPanel } from "./worldpanel";

const TABS = { see: "See", watch: "Watch", explore: "Explore" } as const;

const store = new Store(fromHash(location.hash));
const message = el("p", { id: "message", role: "status" });
const line = el("div", { class: "line" }, message);
const scheme = location.protocol === "https:" ? "wss" : "ws";
let connected = false;

const link = new Socket(`${scheme}://${location.host}/ws${location.search}`, (is) => {
  connected = is;
  context?.tell("connection", is ? "" : "The connection to the lab is lost; trying again. Is `hsr lab` still running?");
});
const context: Context = new Context(store, link, (text, busy) => {
  message.textContent = text;
  line.classList.toggle("busy", busy);
});

// Light or dark: as the system has it, until the button is used.
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
let chosen: boolean | null = null;
function dress(): void {
  const dark = chosen ?? systemDark.matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  context.theme = makeTheme(dark, store.state.ramp === "cividis" ? "cividis" : ("viridis" as RampName));
}
dress();

// The first listener, so that messages of the new view are kept.
store.listen((changed) => (changed.has("tab") || changed.has("view")) && context.forget());

const editor = new Editor(context);
const see = new See(context);
const watch = new Watch(context);
const explore = new Explore(context);

function redraw(): void {
  editor.refresh();
  see.redraw();
  watch.redraw();
  explore.redraw();
}

systemDark.addEventListener("change", () => {
  dress();
  redraw();
});

const checks = context.channel("check", 50, (reply, fields) => {
  const map = fields.map;
  context.checked = { ...reply, map, rooms: ints(reply.room_of) };
  editor.refresh();
  if (map === store.state.map) see.checked();
});

function figures(): Figure[] {
  const { tab, view } = store.state;
  if (tab === "watch") return [...watch.maps.map((map) => map.figure), watch.curve];
  if (tab === "explore") return [...explore.maps.map((map) => map.figure), explore.curve];
  if (view === "options") return [see.options.map.figure, see.options.spectrum];
  if (view === "matrices") return Object.values(see.matrices.figures);
  if (view === "parts") return [see.features.map.figure, ...see.features.thumbs];
  return Object.values(see.rows.maps).map((map) => map.figure);
}

function show(): Show {
  const { tab, view, which, basis, k } = store.state;
  if (tab === "watch") return { kind: "train", ...watch.request() };
  if (tab === "explore") return { kind: "explore", ...explore.request() };
  if (view === "parts") return { kind: "basis", which, basis, n: Math.min(k, context.grid.nStates) };
  return { kind: "rows", state: context.selected, which: store.state.other || null };
}

const exporter = new Exporter(context, figures, show);

function header(): HTMLElement {
  const theme = button("Light / dark", "Switch between light and dark.", () => {
    chosen = !(chosen ?? systemDark.matches);
    dress();
    redraw();
  }, "quiet");
  const help = button("Explain", "Show one sentence of help below every control.", () => {
    const on = document.body.classList.toggle("explain");
    help.setAttribute("aria-pressed", String(on));
  }, "quiet");
  help.setAttribute("aria-pressed", "false");
  return el(
    "header", {},
    el("h1", {}, "hsr lab"),
    el("p", { class: "tagline" }, "Draw a maze, see its predictive maps, watch agents transfer."),
    el("div", { class: "bar" },
      button("Copy link", "A link that restores everything you see.", () => void exporter.copyLink()),
      button("Copy as Python", "A script that prints the numbers shown.", () => void exporter.python()),
      button("PNG", "Save the figures of this view as PNG.", () => exporter.savePng(), "quiet"),
      button("SVG", "Save the figures of this view as SVG.", () => exporter.saveSvg(), "quiet"),
      button("Maze file", "Save the maze as a text file.", () => exporter.saveMaze(), "quiet"),
      help, theme),
  );
}

function tabs(): HTMLElement {
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "What to do" });
  const panels = { see: see.element, watch: watch.element, explore: explore.element };
  const buttons = (Object.keys(TABS) as (keyof typeof TABS)[]).map((name) => {
    panels[name].id = `panel-${name}`;
    panels[name].setAttribute("role", "tabpanel");
    const tab = el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, click: () => store.set({ tab: name }) }, TABS[name]);
    list.append(tab);
    return [name, tab] as const;
  });
  const refresh = () => {
    const current = Object.hasOwn(TABS, store.state.tab) ? store.state.tab : "see";
    for (const [name, tab] of buttons) {
      tab.setAttribute("aria-selected", String(name === current));
      panels[name].hidden = name !== current;
    }
    if (current !== "watch") watch.player.pause();
    if (current !== "explore") explore.player.pause();
  };
  store.listen((changed) => changed.has("tab") && refresh());
  refresh();
  return list;
}

function group(title: string, open: boolean, ...content: HTMLElement[]): HTMLElement {
  return el("details", { open }, el("summary", {}, title), ...content);
}

document.body.append(
  header(),
  el("main", {},
    el("aside", { "aria-label": "Maze and world" },
      editor.element,
      group("World", window.innerWidth > 900, worldPanel(context)),
      group("Other mazes", false, new MazeMenu(context).element)),
    el("div", { class: "stage" }, el("div", { class: "top" }, tabs(), line), see.element, watch.element, explore.element)),
);

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (!(event.ctrlKey || event.metaKey) || target.matches("textarea, select, input[type=number]") || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) store.undo();
  else if ((key === "z" && event.shiftKey) || key === "y") store.redo();
  else return;
  event.preventDefault();
});

let hashTimer = 0;
store.listen((changed) => {
  if (changed.has("map")) checks.want({ map: store.state.map }, "check");
  if (changed.has("ramp")) {
    dress();
    redraw();
  }
  window.clearTimeout(hashTimer);
  hashTimer = window.setTimeout(() => history.replaceState(null, "", `#${toHash(store.state)}`), 400);
});
window.addEventListener("hashchange", () => {
  const next = fromHash(location.hash);
  if (toHash(next) === toHash(store.state)) return;
  const { trained, episode, step, explored, time, ...rest } = next;
  store.set(rest);
  store.set({ episode, step, time });
  resume(trained, explored);
});

function resume(trained: boolean, explored: boolean): void {
  if (trained) watch.resume();
  if (explored) explore.resume();
}

checks.want({ map: store.state.map }, "check");
see.show();
redraw();
resume(store.state.trained, store.state.explored);

declare global {
  interface Window {
    hsrLab: object;
  }
}

/** For tests and the curious: what is shown, and how fast. */
window.hsrLab = {
  timings: context.timings,
  drop: () => link.drop(),
  look: (cell: number) => store.set({ cell }),
  get connected() {
    return connected;
  },
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
    return running && { steps: running.agents.map((agent) => [...agent.steps]), optimal: running.optimal, episode: watch.episode, step: watch.step, playing: watch.player.playing };
  },
  get exploration() {
    const { found } = explore;
    return found && { coverage: found.coverage.map((one) => [...one]), firstVisit: found.firstVisit.map((one) => [...one]), time: explore.time };
  },
};
