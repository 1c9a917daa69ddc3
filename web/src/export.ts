// Exports: a link, a Python script, figures, an animation, and the maze as text.
import { Context } from "./context";
import { copyDialog, copyText } from "./dialogs";
import { CanvasPen, Pen, SvgPen } from "./pen";
import { Figure, zoomNow } from "./figure";
import { sentence } from "./fields";
import { Film, filmed } from "./film";
import { Show } from "./messages";
import { remember, toHash } from "./fragment";

const WIDEST_FILM = 960; // pixels

/** Figures with their places and sizes, as they were when they were measured. */
interface Content {
  width: number;
  height: number;
  draw(pen: Pen, place: (x: number, y: number, picture: () => void) => void): void;
}

export class Exporter {
  constructor(
    private readonly context: Context,
    private readonly figures: () => Figure[],
    private readonly show: () => Show,
  ) {}

  link(): string {
    const place = location.protocol === "file:" ? `file://${location.pathname}` : `${location.origin}${location.pathname}`;
    return `${place}#${toHash(this.context.store.state)}`;
  }

  async copyLink(): Promise<void> {
    const link = this.link();
    remember(this.context.store.state);
    if (await copyText(link)) this.context.tell("link", "The link is copied. It restores everything you see.");
    else copyDialog("Link", "This link restores everything you see.", link);
    window.setTimeout(() => this.context.tell("link", ""), 6000);
  }

  async python(): Promise<void> {
    try {
      const reply = await this.context.link.ask("python", { ...this.context.world(), show: this.show() }).reply;
      this.context.tell("python", "");
      copyDialog("The same in Python", "This script needs only hsr and prints the numbers shown here as JSON.", reply.code);
    } catch (error) {
      this.context.tell("python", sentence((error as Error).message));
    }
  }

  saveMaze(): void {
    download(new Blob([this.context.store.state.map + "\n"], { type: "text/plain" }), "maze.txt");
  }

  saveSvg(): void {
    const { width, height, draw } = this.content();
    const pen = new SvgPen();
    draw(pen, (x, y, picture) => pen.within(x, y, picture));
    download(new Blob([pen.document(width, height, this.context.theme.paper)], { type: "image/svg+xml" }), "hsr-lab.svg");
  }

  savePng(): void {
    this.painted(Math.max(2, window.devicePixelRatio || 1)).toBlob((blob) => blob && download(blob, "hsr-lab.png"));
  }

  /** Saves the run that is shown as an animation, placed as on the screen when it begins. */
  async saveGif(film: Film | null): Promise<void> {
    if (!film) {
      this.context.tell("film", "An animation shows a run: let agents learn under Watch, or explore under Explore, and press GIF then.");
      return;
    }
    const content = this.content();
    const density = Math.min(1.5, WIDEST_FILM / content.width);
    const draw = () => {
      const canvas = this.painted(density, content);
      return canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    };
    try {
      const blob = await filmed(film, draw, (part) => this.context.tell("film", `Drawing the animation: ${Math.round(100 * part)} %`));
      this.context.tell("film", "");
      download(blob, "hsr-lab.gif");
    } catch (error) {
      this.context.tell("film", `No animation was saved: ${(error as Error).message}.`);
    }
  }

  /** All figures of the view on one canvas. */
  private painted(density: number, { width, height, draw }: Content = this.content()): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    const context = canvas.getContext("2d", { willReadFrequently: true })!; // drawn by the processor, as it is read back
    context.scale(density, density);
    context.fillStyle = this.context.theme.paper;
    context.fillRect(0, 0, width, height);
    const pen = new CanvasPen(context);
    draw(pen, (x, y, picture) => {
      context.save();
      context.translate(x, y);
      picture();
      context.restore();
    });
    return canvas;
  }

  /** All figures of the view, placed as on the screen, each below its caption. */
  private content(): Content {
    const margin = 16;
    const figures = this.figures().filter((figure) => figure.visible && figure.width > 0);
    const boxes = figures.map((figure) => unzoomed(figure.canvas.getBoundingClientRect()));
    const sizes = figures.map((figure) => [figure.width, figure.height] as const);
    const left = Math.min(...boxes.map((box) => box.left));
    const top = Math.min(...boxes.map((box) => box.top));
    const width = Math.max(...boxes.map((box) => box.right)) - left + 2 * margin;
    const height = Math.max(...boxes.map((box) => box.bottom)) - top + 2 * margin + 24;
    const draw: Content["draw"] = (pen, place) =>
      figures.forEach((figure, i) => {
        const [x, y] = [boxes[i].left - left + margin, boxes[i].top - top + margin + 24];
        pen.text(x, y - 13, figure.title, { fill: this.context.theme.ink, size: 13, bold: true });
        place(x, y, () => figure.picture.draw(pen, ...sizes[i]));
      });
    return { width, height, draw };
  }
}

function unzoomed(box: DOMRect): { left: number; top: number; right: number; bottom: number } {
  const zoom = zoomNow();
  return { left: box.left / zoom, top: box.top / zoom, right: box.right / zoom, bottom: box.bottom / zoom };
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 1000);
}
