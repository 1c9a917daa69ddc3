// The page of hsr lab: draw a maze, see its predictive maps, watch agents transfer.
import { openLab } from "./lab";

const sentence = document.getElementById("unsupported");

/** The sentence that the page has from the start stays if anything here fails, so that no page is blank. */
function open(): void {
  const without = ["ResizeObserver", "URLSearchParams", "HTMLDialogElement", "Worker"].filter((name) => !(name in window)).join(", ");
  if (without) {
    if (sentence) sentence.textContent = `This browser cannot run the lab: it has no ${without}.`;
    return;
  }
  openLab();
  sentence?.remove();
}

open();
