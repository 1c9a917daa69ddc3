// A figure: a canvas with a caption that draws itself at any width and pixel density.
import { el, write } from "./dom";
import { CanvasPen, Pen } from "./pen";

export interface Picture {
  /** Height of the picture at this width. */
  height(width: number): number;
  draw(pen: Pen, width: number, height: number): void;
}

let zoom = 1;

/** How much larger than usual all pictures are drawn, letters and lines included. */
export function setZoom(to: number): void {
  zoom = to;
}

export const zoomNow = (): number => zoom;

/** The height that a large picture may have, in CSS pixels: it ends above the lower edge of the window, unless it would be too small. */
export function tallest(canvas: HTMLCanvasElement): number {
  const least = document.body.classList.contains("touring") ? 120 : window.innerHeight * 0.45;
  return Math.max(least, window.innerHeight - canvas.getBoundingClientRect().top - window.scrollY - 48 * zoom);
}

export class Figure {
  readonly canvas = el("canvas", {});
  readonly caption = el("figcaption", {});
  private readonly sentence = el("p", { class: "sees" });
  readonly element: HTMLElement;
  width = 0;
  height = 0;
  private scheduled = false;
  private readonly watcher: ResizeObserver;

  constructor(
    title: string,
    readonly picture: Picture,
  ) {
    this.canvas.setAttribute("role", "img");
    this.title = title;
    this.element = el("figure", { class: "figure" }, this.caption, this.sentence, this.canvas);
    this.watcher = new ResizeObserver(() => this.invalidate());
    this.watcher.observe(this.element);
  }

  set title(text: string) {
    if (this.title === text) return;
    this.caption.textContent = text;
    if (this.canvas.getAttribute("role") === "img") this.canvas.setAttribute("aria-label", text);
  }

  get title(): string {
    return this.caption.textContent ?? "";
  }

  /** Says above the picture what to see in it. */
  set sees(text: string) {
    write(this.sentence, text);
  }

  get visible(): boolean {
    return this.element.offsetParent !== null;
  }

  /** Draws with the next frame. */
  invalidate(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.drawNow();
    });
  }

  /** Draws within the current frame. */
  drawNow(): void {
    const width = Math.floor(this.element.clientWidth / zoom);
    if (width > 0) this.paint(width);
  }

  private paint(width: number): void {
    const height = Math.ceil(this.picture.height(width));
    const density = zoom * (window.devicePixelRatio || 1);
    const [wide, high] = [Math.round(width * density), Math.round(height * density)];
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
      this.canvas.style.width = `${width * zoom}px`;
      this.canvas.style.height = `${height * zoom}px`;
    }
    this.width = width;
    this.height = height;
    const context = this.canvas.getContext("2d")!;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    this.picture.draw(new CanvasPen(context), width, height);
  }

  remove(): void {
    this.watcher.disconnect();
    this.element.remove();
  }
}
