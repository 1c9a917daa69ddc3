// Dialogs: a text to edit, or a text to copy. Escape closes them, and focus returns to where it was.
import { el } from "./dom";

function open(title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const dialog = el("dialog", { "aria-label": title }, el("h2", {}, title), ...content);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function textDialog(title: string, help: string, text: string, use: string, done: (text: string) => void): void {
  const area = el("textarea", { rows: 16, spellcheck: "false", "aria-label": title, wrap: "off" });
  area.value = text;
  const accept = el("button", { type: "button", class: "main" }, use);
  const cancel = el("button", { type: "button", class: "quiet" }, "Cancel");
  const dialog = open(title, el("p", {}, help), area, el("div", { class: "bar" }, accept, cancel));
  accept.addEventListener("click", () => {
    dialog.close();
    if (area.value.trim()) done(area.value);
  });
  cancel.addEventListener("click", () => dialog.close());
}

/** Asks for a link and gives the part from "#" on. */
export function linkDialog(done: (hash: string) => void): void {
  const area = el("textarea", { rows: 4, spellcheck: "false", "aria-label": "A link of the lab" });
  const accept = el("button", { type: "button", class: "main" }, "Show it");
  const cancel = el("button", { type: "button", class: "quiet" }, "Cancel");
  const dialog = open("Open a link", el("p", {}, "Paste a link that someone has copied from the lab. Only its part from # on is read."), area, el("div", { class: "bar" }, accept, cancel));
  accept.addEventListener("click", () => {
    dialog.close();
    const at = area.value.indexOf("#");
    if (area.value.trim()) done(area.value.slice(at < 0 ? 0 : at).trim());
  });
  cancel.addEventListener("click", () => dialog.close());
}

export function copyDialog(title: string, help: string, text: string): void {
  const area = el("textarea", { rows: 18, readonly: true, spellcheck: "false", "aria-label": title, wrap: "off" });
  area.value = text;
  const copy = el("button", { type: "button", class: "main" }, "Copy");
  const shut = el("button", { type: "button", class: "quiet" }, "Close");
  const dialog = open(title, el("p", {}, help), area, el("div", { class: "bar" }, copy, shut));
  area.setSelectionRange(0, 0);
  area.scrollTop = 0;
  copy.focus();
  copy.addEventListener("click", async () => {
    area.select();
    copy.textContent = (await copyText(text)) ? "Copied" : "Press Ctrl+C";
  });
  shut.addEventListener("click", () => dialog.close());
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
