// Playback controls: play, pause, single step, speed and scrubbing.
import { el } from "./dom";
import { button, rangeField } from "./fields";
import { Store } from "./store";

/** What is played. Positions on the scrub bar are integers; `advance` moves by steps, which may be finer. */
export interface Playable {
  ready(): boolean;
  length(): number;
  position(): number;
  seek(position: number): void;
  advance(steps: number): void;
  ended(): boolean;
  /** Draws the current position within the current frame. */
  draw(): void;
  words(position: number): string;
}

const CALM = 250; // ms between frames if the user prefers reduced motion

export class Player {
  readonly element: HTMLElement;
  playing = false;
  private readonly playButton = button("Play", "Play or pause.", () => this.toggle(), "main");
  private readonly scrub = el("input", { type: "range", min: 0, step: 1, class: "scrub" });
  private readonly place = el("output", { class: "place" });
  private last = 0;
  private waited = 0;

  constructor(
    private readonly playable: Playable,
    private readonly store: Store,
    private readonly speedKey: "speed" | "exploreSpeed",
    label: string,
    ...extra: HTMLElement[]
  ) {
    this.scrub.setAttribute("aria-label", label);
    this.scrub.title = label;
    this.scrub.addEventListener("input", () => {
      const wanted = Number(this.scrub.value); // read first, because pausing resets it
      this.pause();
      this.seek(wanted);
    });
    const start = button("Restart", "Go back to the beginning.", () => this.seek(0), "quiet");
    const step = button("Step", "Advance by one step.", () => this.step(), "quiet");
    const speed = rangeField(store, speedKey, "Speed", "Steps shown per second.", { min: 2, max: 20000, log: true, show: (n) => `${n} steps/s` });
    this.element = el(
      "div", { class: "player", role: "group", "aria-label": "Playback" },
      el("div", { class: "bar" }, this.playButton, step, start, ...extra),
      speed,
      el("div", { class: "field scrubber" }, el("span", { class: "label" }, label, " ", this.place), this.scrub),
    );
    this.refresh();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (!this.playable.ready() || this.playing) return;
    if (this.playable.ended()) this.playable.seek(0);
    this.playing = true;
    this.last = 0;
    this.refresh();
    requestAnimationFrame((now) => this.frame(now));
  }

  pause(): void {
    this.playing = false;
    this.refresh();
  }

  seek(position: number): void {
    this.playable.seek(position);
    this.refresh();
  }

  step(): void {
    this.pause();
    if (this.playable.ready() && !this.playable.ended()) this.playable.advance(1);
    this.refresh();
  }

  refresh(): void {
    const ready = this.playable.ready();
    this.playButton.textContent = this.playing ? "Pause" : "Play";
    this.element.toggleAttribute("inert", !ready);
    this.element.classList.toggle("off", !ready);
    this.scrub.max = String(Math.max(1, this.playable.length()));
    this.scrub.value = String(this.playable.position());
    const words = ready ? this.playable.words(this.playable.position()) : "";
    if (this.place.textContent !== words) this.place.textContent = words;
    this.scrub.setAttribute("aria-valuetext", words);
    if (ready) this.playable.draw();
  }

  private frame(now: number): void {
    if (!this.playing) return;
    const passed = this.last ? now - this.last : 0;
    this.last = now;
    this.waited += Math.min(passed, 250);
    if (this.waited > 0 && (!reducedMotion() || this.waited >= CALM)) {
      this.playable.advance((this.waited / 1000) * this.store.state[this.speedKey]);
      this.waited = 0;
      this.refresh();
    }
    if (this.playable.ended()) this.pause();
    else requestAnimationFrame((next) => this.frame(next));
  }
}

export function reducedMotion(): boolean {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
