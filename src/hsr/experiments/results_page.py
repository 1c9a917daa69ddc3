"""The ledger as a page of the documentation: a table of verdicts with their numbers, and one picture per figure."""

from pathlib import Path

from hsr.experiments.ledger import claims, in_words, verdicts
from hsr.experiments.report import Section, sections
from hsr.plots import save_figure
from hsr.results import Store

_DOTS = 80


def write_results_page(store: Store, preset: str, path: Path, introduction: str) -> Path:
    """Write the page and, in a folder beside it with the same name, its pictures; return the path of the page."""
    parts = sections(store, preset)
    found = {verdict.claim: verdict for verdict in verdicts(one for part in parts for one in part.evidence)}
    lines = [introduction.rstrip(), "", "| claim | figure | paper | here | verdict |", "|---|---|---|---|---|"]
    for claim in claims():
        verdict = found.get(claim.id)
        here = (
            "" if verdict is None else "; ".join(in_words(one, p) for one, p in zip(verdict.evidence, verdict.p, strict=True))
        )
        word = "no evidence" if verdict is None else f"**{verdict.word}**"
        lines.append(f"| `{claim.id}`: {claim.text} | {claim.figure} | {claim.paper} | {here} | {word} |")
    for part in parts:
        lines += ["", f"## Figure {part.experiment.figure}: {part.experiment.title}", "", *_picture(part, path)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _picture(part: Section, page: Path) -> list[str]:
    command = f"`hsr run {part.experiment.name} --preset {part.preset}`"
    if part.figure is None:
        return [f"Not run: {command}."]
    picture = save_figure(part.figure, page.with_suffix("") / f"{part.experiment.name}.png", dpi=_DOTS)
    return [f"![Figure {part.experiment.figure}]({page.stem}/{picture.name})", "", f"{part.n_runs} runs: {command}."]
