// Creates elements without parsing markup, so that no text can inject any.

type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const UNBROKEN = /([\d.]+ %|[\d.]+e-\d+)/; // no line ends within such a number

/** Writes a text. Its place only grows, so that the picture below stays where it is pointed at. */
export function write(place: HTMLElement, text: string): void {
  if (place.textContent === text) return;
  if (place.dataset.width !== String(place.clientWidth)) place.style.minHeight = "";
  place.dataset.width = String(place.clientWidth);
  place.replaceChildren(...text.split(UNBROKEN).map((part, i) => (i % 2 ? el("span", { class: "unbroken" }, part) : part)));
  place.style.minHeight = `${place.offsetHeight}px`;
}

let counter = 0;
export const freshId = (): string => `e${++counter}`;
