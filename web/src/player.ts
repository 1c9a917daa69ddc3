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
  /** The number that the reader counts the first position as. */
  first: number;
  /** What follows the number of a position. */
  words(position: number): string;
}

const CALM = 250; // ms between frames if the user prefers reduced motion

export class Player {
  readonly element: HTMLElement;
  playing = false;
  private readonly playButton = button("Play", "Play or pause.", () => this.toggle(), "main");
  private readonly scrub = el("input", { type: "range", min: 0, step: 1, class: "scrub" });
  private readonly number = el("input", { type: "number", step: 1, focus: () => this.pause(), change: () => this.seek((this.number.valueAsNumber || 0) - this.playable.first) });
  private readonly place = el("output", {});
  private last = 0;
  private waited = 0;

  constructor(
    private readonly playable: Playable,
    private readonly store: Store,
    private readonly speedKey: "speed" | "exploreSpeed",
    label: string,
    ...extra: HTMLElement[]
  ) {
    for (const input of [this.scrub, this.number]) input.setAttribute("aria-label", label);
    this.scrub.addEventListener("input", () => {
      const wanted = Number(this.scrub.value); // read first, because pausing resets it
      this.pause();
      this.seek(wanted);
    });
    const start = button("Restart", "Go back to the beginning.", () => this.seek(0), "quiet");
    const step = button("Step", "Advance by one step.", () => this.step(), "quiet");
    const speed = rangeField(store, speedKey, "Steps per second", "The speed of the playback.", { min: 2, max: 20000, log: true });
    this.element = el(
      "div", { class: "player", role: "group", "aria-label": "Playback" },
      el("div", { class: "bar" }, this.playButton, step, start, ...extra),
      speed,
      el("div", { class: "field scrubber" }, el("span", { class: "label" }, label), this.number, this.place, this.scrub),
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
    const at = this.playable.position();
    this.scrub.value = String(at);
    this.number.value = String(at + this.playable.first);
    const words = ready ? this.playable.words(at) : "";
    if (this.place.textContent !== words) this.place.textContent = words;
    this.scrub.setAttribute("aria-valuetext", `${this.number.value} ${words}`);
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
