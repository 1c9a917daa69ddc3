// Take away: a link, the script that computes what is shown, pictures, and the map as text.
import { Desk } from "./desk";
import { copyDialog, copyText } from "./dialogs";
import { CanvasPen, Pen, SvgPen } from "./pen";
import { Plate } from "./plate";
import { toHash } from "./state";

/** What `python` is asked to write a script for. */
export type Show = Record<string, unknown>;

export class TakeAway {
  constructor(
    private readonly desk: Desk,
    private readonly plates: () => Plate[],
    private readonly show: () => Show,
  ) {}

  link(): string {
    return `${location.origin}${location.pathname}${location.search}#${toHash(this.desk.store.state)}`;
  }

  async copyLink(): Promise<void> {
    const link = this.link();
    history.replaceState(null, "", link);
    if (await copyText(link)) this.desk.tell("link", "The link is copied. It holds everything you see; the part after # also works in another lab.");
    else copyDialog("Link", "This link holds everything you see; the part after # also works in another lab.", link);
    window.setTimeout(() => this.desk.tell("link", ""), 6000);
  }

  async python(): Promise<void> {
    try {
      const reply = await this.desk.link.ask("python", { ...this.desk.world(), show: this.show() }).reply;
      this.desk.tell("python", "");
      copyDialog("The same in Python", "This script needs only hsr and prints the numbers shown here as JSON.", reply.code);
    } catch (error) {
      this.desk.tell("python", (error as Error).message);
    }
  }

  saveMap(): void {
    download(new Blob([this.desk.store.state.map + "\n"], { type: "text/plain" }), "map.txt");
  }

  saveSvg(): void {
    const { width, height, draw } = this.sheet();
    const pen = new SvgPen();
    draw(pen, (x, y, plate) => pen.within(x, y, () => plate.picture.draw(pen, plate.width, plate.height)));
    download(new Blob([pen.document(width, height, this.desk.theme.paper)], { type: "image/svg+xml" }), "hsr-lab.svg");
  }

  savePng(): void {
    const { width, height, draw } = this.sheet();
    const density = Math.max(2, window.devicePixelRatio || 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    const context = canvas.getContext("2d")!;
    context.scale(density, density);
    context.fillStyle = this.desk.theme.paper;
    context.fillRect(0, 0, width, height);
    const pen = new CanvasPen(context);
    draw(pen, (x, y, plate) => {
      context.save();
      context.translate(x, y);
      plate.picture.draw(pen, plate.width, plate.height);
      context.restore();
    });
    canvas.toBlob((blob) => blob && download(blob, "hsr-lab.png"));
  }

  /** All pictures of the view, placed as they are on the screen, each below its caption. */
  private sheet() {
    const margin = 16;
    const plates = this.plates().filter((plate) => plate.visible && plate.width > 0);
    const boxes = plates.map((plate) => plate.canvas.getBoundingClientRect());
    const left = Math.min(...boxes.map((box) => box.left));
    const top = Math.min(...boxes.map((box) => box.top));
    const width = Math.max(...boxes.map((box) => box.right)) - left + 2 * margin;
    const height = Math.max(...boxes.map((box) => box.bottom)) - top + 2 * margin + 24;
    const draw = (pen: Pen, place: (x: number, y: number, plate: Plate) => void) =>
      plates.forEach((plate, i) => {
        const [x, y] = [boxes[i].left - left + margin, boxes[i].top - top + margin + 24];
        pen.text(x, y - 13, plate.title, { fill: this.desk.theme.ink, size: 13, bold: true });
        place(x, y, plate);
      });
    return { width, height, draw };
  }
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 1000);
}
