// The arrows that unfold parts of the navigation have no text: name each after the link beside it.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll(".bd-links details > summary")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages below ${link?.textContent.trim() ?? "this one"}`);
  }
});
