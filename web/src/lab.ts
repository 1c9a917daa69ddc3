// Assembles the page: header, tour, maze and panels, and keeps its state in the address.
import { RampName } from "./colour";
import { Context } from "./context";
import { linkDialog } from "./dialogs";
import { el } from "./dom";
import { Editor } from "./editor";
import { embedded, rewardOf } from "./embedded";
import { Explore } from "./explore";
import { Exporter } from "./export";
import { button } from "./fields";
import { Figure, setZoom } from "./figure";
import { Film } from "./film";
import { readHash, remember, toHash } from "./fragment";
import { inspectable } from "./inspect";
import { MazeMenu } from "./mazemenu";
import { Show } from "./messages";
import { See } from "./see";
import { State } from "./state";
import { Store } from "./store";
import { themeNow } from "./theme";
import { TourPanel } from "./tourpanel";
import { Watch } from "./watch";
import { worldPanel } from "./worldpanel";

const TITLES = { see: "See", watch: "Watch", explore: "Explore" } as const;
const ZOOM = 1.5; // of pictures where letters are large

export function openLab(): void {
  const first = readHash(location.hash);
  const store = new Store(first.state);
  const message = el("p", { id: "message", role: "status" });
  const line = el("div", { class: "line" }, message);
  const context = new Context(store, (text, busy) => {
    message.textContent = text;
    line.classList.toggle("busy", busy);
  });

  // Light or dark: as the system has it, until the button is used.
  const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen: boolean | null = null;
  function dress(): void {
    const dark = chosen ?? systemDark.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.documentElement.classList.toggle("large", store.state.large);
    setZoom(store.state.large ? Math.max(1, Math.min(ZOOM, window.innerWidth / 1280)) : 1);
    context.theme = themeNow(store.state.ramp as RampName);
  }
  dress();

  // The first listener, so that messages of the new view are kept.
  store.on(["tab", "view"], () => context.forget());

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

  function figures(): Figure[] {
    const { tab, view } = store.state;
    if (tab === "watch") return [...watch.maps.map((map) => map.figure), watch.curve];
    if (tab === "explore") return [...explore.maps.map((map) => map.figure), explore.curve];
    if (view === "options") return [see.options.map.figure, see.options.spectrum];
    if (view === "distance") return [see.distance.chart];
    if (view === "matrices") return Object.values(see.matrices.figures);
    if (view === "parts") return [see.features.map.figure, ...see.features.thumbs];
    return Object.values(see.rows.maps).map((map) => map.figure);
  }

  function film(): Film | null {
    const { tab } = store.state;
    return tab === "watch" ? watch.film() : tab === "explore" ? explore.film() : null;
  }

  function show(): Show {
    const { tab, view, which, basis, k } = store.state;
    if (tab === "watch") return { kind: "train", ...watch.request() };
    if (tab === "explore") return { kind: "explore", ...explore.request() };
    if (view === "parts") return { kind: "basis", which, basis, n: Math.min(k, context.grid.nStates) };
    if (view === "options") return { kind: "world" };
    if (view === "distance") return { kind: "distance", state: context.selected, srDiscount: see.distance.shown?.srDiscount ?? store.state.discount };
    const other = store.state.other || null;
    return view === "matrices" ? { kind: "matrix", which: other } : { kind: "rows", state: context.selected, which: other, reward: rewardOf(store.state.map) };
  }

  const exporter = new Exporter(context, figures, show);

  function skip(event: Event): void {
    event.preventDefault(); // the part of the address behind "#" is the state
    stage.focus();
  }

  function header(): HTMLElement {
    const gif = button("GIF", "Save the episode or the exploration that is shown as an animation.", () => {
      gif.disabled = true;
      void exporter.saveGif(film()).finally(() => (gif.disabled = false));
    }, "quiet");
    const theme = button("Light / dark", "Switch between light and dark.", () => {
      chosen = !(chosen ?? systemDark.matches);
      dress();
      redraw();
    }, "quiet keep");
    const help = button("Explain", "Show one sentence of help below every control.", () => {
      const on = document.body.classList.toggle("explain");
      help.setAttribute("aria-pressed", String(on));
    }, "quiet");
    help.setAttribute("aria-pressed", "false");
    return el(
      "header", {},
      el("a", { class: "skip", href: "#", click: skip }, "Skip to the pictures"),
      el("h1", {}, "hsr lab"),
      el("p", { class: "tagline" }, "Draw a maze and see which places a walker will visit from here, with and without options that carry it further."),
      el("div", { class: "bar" },
        tour.opener,
        menu("Save and share",
          button("Copy link", "A link that restores everything you see.", () => void exporter.copyLink()),
          button("Open link", "Show what a link of the lab holds.", () => linkDialog((hash) => (location.hash = hash)), "quiet"),
          button("Copy as Python", "A script that prints the numbers shown.", () => void exporter.python()),
          button("PNG", "Save the figures of this view as PNG.", () => exporter.savePng(), "quiet"),
          button("SVG", "Save the figures of this view as SVG.", () => exporter.saveSvg(), "quiet"),
          gif,
          button("Maze file", "Save the maze as a text file.", () => exporter.saveMaze(), "quiet")),
        help, fullScreen(store), theme,
        button("Reset", "Return to the first maze and the usual settings.", () => follow("#"), "quiet"),
        ...(embedded.docs ? [el("a", { class: "button", href: embedded.docs }, "Documentation")] : [])),
    );
  }

  function tabs(): HTMLElement {
    const names = Object.keys(TITLES) as (keyof typeof TITLES)[];
    const turn = (event: KeyboardEvent) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = names[(names.indexOf(store.state.tab as never) + by + names.length) % names.length];
      store.set({ tab: next });
      document.getElementById(`tab-${next}`)?.focus();
    };
    const list = el("div", { class: "tabs", role: "tablist", "aria-label": "What to do", keydown: turn });
    const panels = { see: see.element, watch: watch.element, explore: explore.element };
    const buttons = names.map((name) => {
      panels[name].id = `panel-${name}`;
      panels[name].setAttribute("role", "tabpanel");
      const tab = el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, click: () => store.set({ tab: name }) }, TITLES[name]);
      list.append(tab);
      return [name, tab] as const;
    });
    const refresh = () => {
      for (const [name, tab] of buttons) {
        tab.setAttribute("aria-selected", String(name === store.state.tab));
        tab.tabIndex = name === store.state.tab ? 0 : -1;
        panels[name].hidden = name !== store.state.tab;
      }
      Object.assign(document.body.dataset, { tab: store.state.tab, view: store.state.view });
      if (store.state.tab !== "watch") watch.player.pause();
      if (store.state.tab !== "explore") explore.player.pause();
    };
    store.follow(["tab", "view"], refresh);
    return list;
  }

  const tour = new TourPanel(store);
  const stage = el("div", { class: "stage", tabindex: -1 }, el("div", { class: "top" }, tabs(), line), see.element, watch.element, explore.element);
  document.body.append(
    header(),
    el("main", {},
      tour.element,
      el("aside", { "aria-label": "Maze and world" },
        editor.element, ...worldPanel(context),
        el("details", {}, el("summary", {}, "Other mazes"), new MazeMenu(context).element)),
      stage),
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
    if (changed.has("ramp") || changed.has("large")) {
      dress();
      redraw();
    }
    window.clearTimeout(hashTimer);
    hashTimer = window.setTimeout(() => remember(store.state), 400);
  });

  /** Shows what a link holds. */
  function follow(hash: string): void {
    const { state, problem } = readHash(hash);
    if (state.tour > 0) [state.large, state.ramp] = [store.state.large, store.state.ramp]; // a step keeps letters and colours
    if (toHash(state) !== toHash(store.state)) {
      const { trained, episode, step, explored, time, ...rest } = state;
      store.set(rest);
      if (!trained) watch.stale(); // the run on the page does not belong to this link
      if (!explored) explore.stale();
      store.set({ trained, episode, step, explored, time });
      resume(state);
    }
    context.tell("link", problem);
  }

  function resume(state: State): void {
    if (context.isLarge) return;
    if (state.trained) watch.resume();
    if (state.explored) explore.resume();
  }

  // The timer above may have replaced the address since the event was raised, so the event says which link is meant.
  window.addEventListener("hashchange", (event) => follow(new URL(event.newURL).hash));
  see.show();
  redraw();
  resume(store.state);
  context.tell("link", first.problem);
  window.hsrLab = inspectable(context, see, watch, explore);
}

/** A menu that Escape and any click close. */
function menu(title: string, ...content: HTMLElement[]): HTMLElement {
  const summary = el("summary", {}, title);
  const whole = el("details", { class: "menu keep" }, summary, el("div", { class: "bar" }, ...content));
  const close = () => {
    if (whole.contains(document.activeElement)) summary.focus();
    whole.open = false;
  };
  document.addEventListener("click", (event) => !summary.contains(event.target as Node) && close(), true); // before a button acts, whose dialog returns the focus to the menu
  document.addEventListener("keydown", (event) => event.key === "Escape" && close());
  return whole;
}

/** Large letters on the whole screen; where a browser refuses the screen, large letters alone. */
function fullScreen(store: Store): HTMLElement {
  const press = button("Full screen", "The whole screen and large letters, for a projector.", () => {
    const large = !store.state.large;
    store.set({ large });
    if (large) document.documentElement.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) void document.exitFullscreen();
  }, "quiet keep");
  const show = () => press.setAttribute("aria-pressed", String(store.state.large));
  store.follow(["large"], show);
  document.addEventListener("fullscreenchange", () => !document.fullscreenElement && store.set({ large: false }));
  return press;
}
