// One interface for drawing with two backends: a canvas and an SVG file.

export interface Ink {
  fill?: string;
  stroke?: string;
  width?: number;
  dash?: readonly number[];
  opacity?: number;
}

export interface Letters {
  fill: string;
  size: number;
  align?: "left" | "center" | "right";
  bold?: boolean;
  halo?: string;
}

export interface Pen {
  /** A block of cells, one colour each: 4 bytes per cell, row by row. */
  cells(x: number, y: number, size: number, columns: number, rows: number, rgba: Uint8ClampedArray): void;
  rect(x: number, y: number, width: number, height: number, ink: Ink): void;
  /** A line through points (x, y, x, y, ...), closed and filled where there is a fill. */
  path(points: ArrayLike<number>, ink: Ink): void;
  disc(x: number, y: number, radius: number, ink: Ink): void;
  /** Text with its middle at height y. */
  text(x: number, y: number, text: string, letters: Letters): void;
}

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

export class CanvasPen implements Pen {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  cells(x: number, y: number, size: number, columns: number, rows: number, rgba: Uint8ClampedArray): void {
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(bitmap(columns, rows, rgba), x, y, columns * size, rows * size);
  }

  rect(x: number, y: number, width: number, height: number, ink: Ink): void {
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.apply(ink);
  }

  path(points: ArrayLike<number>, ink: Ink): void {
    this.context.beginPath();
    for (let i = 0; i < points.length; i += 2) this.context.lineTo(points[i], points[i + 1]);
    if (ink.fill) this.context.closePath();
    this.apply(ink);
  }

  disc(x: number, y: number, radius: number, ink: Ink): void {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.apply(ink);
  }

  text(x: number, y: number, text: string, letters: Letters): void {
    const context = this.context;
    context.font = `${letters.bold ? "600 " : ""}${letters.size}px ${FONT}`;
    context.textAlign = letters.align ?? "left";
    context.textBaseline = "middle";
    if (letters.halo) {
      context.strokeStyle = letters.halo;
      context.lineWidth = letters.size / 4;
      context.lineJoin = "round";
      context.strokeText(text, x, y);
    }
    context.fillStyle = letters.fill;
    context.fillText(text, x, y);
  }

  private apply(ink: Ink): void {
    const context = this.context;
    context.globalAlpha = ink.opacity ?? 1;
    if (ink.fill) {
      context.fillStyle = ink.fill;
      context.fill();
    }
    if (ink.stroke) {
      context.strokeStyle = ink.stroke;
      context.lineWidth = ink.width ?? 1;
      context.lineJoin = context.lineCap = "round";
      context.setLineDash([...(ink.dash ?? [])]);
      context.stroke();
      context.setLineDash([]);
    }
    context.globalAlpha = 1;
  }
}

function bitmap(columns: number, rows: number, rgba: Uint8ClampedArray): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const image = new ImageData(columns, rows);
  image.data.set(rgba);
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

const MOST_SHAPES = 20_000; // beyond this many cells an SVG holds a picture instead of rectangles

export class SvgPen implements Pen {
  private readonly parts: string[] = [];

  /** Everything drawn from now on is moved by (x, y). */
  within(x: number, y: number, draw: () => void): void {
    this.parts.push(`<g transform="translate(${n(x)} ${n(y)})">`);
    draw();
    this.parts.push("</g>");
  }

  document(width: number, height: number, background: string): string {
    const size = `width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}"`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONT}">` +
      `<rect width="100%" height="100%" fill="${background}"/>${this.parts.join("")}</svg>\n`
    );
  }

  cells(x: number, y: number, size: number, columns: number, rows: number, rgba: Uint8ClampedArray): void {
    if (columns * rows > MOST_SHAPES) {
      const place = `x="${n(x)}" y="${n(y)}" width="${n(columns * size)}" height="${n(rows * size)}"`;
      this.parts.push(`<image ${place} style="image-rendering:pixelated" href="${bitmap(columns, rows, rgba).toDataURL()}"/>`);
      return;
    }
    this.parts.push('<g shape-rendering="crispEdges">');
    for (let row = 0; row < rows; row++) {
      for (let column = 0, end; column < columns; column = end) {
        const fill = colourAt(rgba, row * columns + column);
        end = column + 1;
        while (end < columns && colourAt(rgba, row * columns + end) === fill) end++;
        if (fill) this.rect(x + column * size, y + row * size, (end - column) * size, size, { fill });
      }
    }
    this.parts.push("</g>");
  }

  rect(x: number, y: number, width: number, height: number, ink: Ink): void {
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"${attributes(ink)}/>`);
  }

  path(points: ArrayLike<number>, ink: Ink): void {
    const tag = ink.fill ? "polygon" : "polyline";
    this.parts.push(`<${tag} points="${Array.from(points, n).join(" ")}"${attributes(ink)}/>`);
  }

  disc(x: number, y: number, radius: number, ink: Ink): void {
    this.parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}"${attributes(ink)}/>`);
  }

  text(x: number, y: number, text: string, letters: Letters): void {
    const anchor = { left: "start", center: "middle", right: "end" }[letters.align ?? "left"];
    const halo = letters.halo ? ` stroke="${letters.halo}" stroke-width="${n(letters.size / 4)}" paint-order="stroke"` : "";
    const weight = letters.bold ? ' font-weight="600"' : "";
    const safe = text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    this.parts.push(
      `<text x="${n(x)}" y="${n(y)}" dy="0.35em" font-size="${n(letters.size)}" text-anchor="${anchor}"` +
        ` fill="${letters.fill}"${weight}${halo}>${safe}</text>`,
    );
  }
}

const n = (value: number): string => String(Math.round(value * 100) / 100);

function colourAt(rgba: Uint8ClampedArray, cell: number): string {
  const at = 4 * cell;
  return rgba[at + 3] === 0 ? "" : `rgb(${rgba[at]},${rgba[at + 1]},${rgba[at + 2]})`;
}

function attributes(ink: Ink): string {
  const dash = ink.dash?.length ? ` stroke-dasharray="${ink.dash.join(" ")}"` : "";
  const stroke = ink.stroke ? ` stroke="${ink.stroke}" stroke-width="${n(ink.width ?? 1)}" stroke-linejoin="round" stroke-linecap="round"` : "";
  const opacity = ink.opacity === undefined ? "" : ` opacity="${n(ink.opacity)}"`;
  return ` fill="${ink.fill ?? "none"}"${stroke}${dash}${opacity}`;
}
