// Dialogs: a text to edit, or a text to copy. Escape closes them, and focus returns to where it was.
import { el } from "./dom";

/** Opens a dialog with a text area, a main button and one that closes it. */
function open(title: string, help: string, area: HTMLTextAreaElement, use: string, shut: string): { dialog: HTMLDialogElement; main: HTMLButtonElement } {
  const main = el("button", { type: "button", class: "main" }, use);
  const close = el("button", { type: "button", class: "quiet", click: () => dialog.close() }, shut);
  const dialog: HTMLDialogElement = el("dialog", { "aria-label": title, close: () => dialog.remove() }, el("h2", {}, title), el("p", {}, help), area, el("div", { class: "bar" }, main, close));
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, main };
}

/** Asks for a text, and gives it to `done` unless it is empty. */
function ask(title: string, help: string, area: HTMLTextAreaElement, use: string, done: (text: string) => void): void {
  const { dialog, main } = open(title, help, area, use, "Cancel");
  main.addEventListener("click", () => {
    dialog.close();
    if (area.value.trim()) done(area.value);
  });
}

export function textDialog(title: string, help: string, text: string, use: string, done: (text: string) => void): void {
  ask(title, help, el("textarea", { rows: 16, spellcheck: "false", "aria-label": title, wrap: "off" }, text), use, done);
}

/** Asks for a link and gives the part from "#" on. */
export function linkDialog(done: (hash: string) => void): void {
  const area = el("textarea", { rows: 4, spellcheck: "false", "aria-label": "A link of the lab" });
  const help = "Paste a link that was copied from the lab. Only its part from # on is read.";
  ask("Open a link", help, area, "Show it", (text) => done(text.slice(Math.max(0, text.indexOf("#"))).trim()));
}

export function copyDialog(title: string, help: string, text: string): void {
  const area = el("textarea", { rows: 18, readonly: true, spellcheck: "false", "aria-label": title, wrap: "off" }, text);
  const { dialog, main } = open(title, help, area, "Copy", "Close");
  const said = el("p", { role: "status" });
  area.before(said);
  const copy = async () => {
    const done = await copyText(text, dialog);
    said.textContent = done ? "Copied." : "This browser does not let the page copy. The text is selected: press Ctrl+C.";
    if (!done) area.select();
  };
  main.focus();
  main.addEventListener("click", copy);
  void copy();
}

/** Copies a text, also where a page that is not served by HTTPS has no clipboard; says whether it could. */
export async function copyText(text: string, within: HTMLElement = document.body): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement as HTMLElement | null;
    const area = el("textarea", { class: "unseen" }, text);
    within.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return done;
  }
}
