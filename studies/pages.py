"""Pages that are written from data: the ledger, the studies and the manifest of the evidence.

`studies/evidence.py` makes the data: `docs/results/ledger.json`, `docs/results/STUDY.json`,
`docs/replication.json` and `docs/manifest.json`. Each page has one block between two comments,
which is written again from these files alone. What stands outside is written by hand.

    python -m studies.pages
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.deep import when as networks
from PIL import Image
from studies.pictures import Box, by_letter

from hsr.experiments import Experiment, catalogue
from hsr.experiments.ledger import COLUMNS, HOLDS, PAPER
from hsr.experiments.ledger_file import read_ledger
from hsr.experiments.rendering import render
from hsr.experiments.summary import NOT_ASKED, Summary, between_markers
from studies import open_choices

ROOT = Path(__file__).resolve().parents[1]
MARKERS = (
    "<!-- What follows is written by studies/pages.py. -->",
    "<!-- What follows is written by hand. -->",
)
STUDIES = {  # page and picture of each, in docs/
    "when_hierarchy_pays": ("when-hierarchy-pays-tables.md", "phase-diagram.png"),
    "discovery": ("discovery.md", "discovery/experiment.png"),
    "changing": ("changing-worlds.md", "changing-experiment.png"),
    "aliased": ("aliased-worlds.md", "aliased-worlds.png"),
    "reward_transfer": ("reward-transfer.md", "reward-transfer.png"),
    "readings": ("readings.md", "readings.png"),
    "animals": ("which-map.md", "which-map/populations.png"),
}
TABLES = {  # second pages of studies, for every statement and table
    "changing": "changing-worlds-tables.md",
    "discovery": "discovery-tables.md",
    "readings": "readings-tables.md",
    "reward_transfer": "reward-transfer-tables.md",
    "animals": "which-map-tables.md",
}
PAGES = (  # that are written, in the checkout
    "README.md",
    "manuscript/paper.md",
    *(f"docs/{name}.md" for name in ("results", "results-statements", "open-choices")),
    *(f"docs/{name}.md" for name in ("replication", "replication-tables")),
    *(f"docs/{name}.md" for name in ("when-hierarchy-pays",)),
    *(f"docs/results/{name}.md" for name in catalogue.names()),
    *(f"docs/results/{name}-numbers.md" for name in catalogue.names()),
    *(f"docs/{page}" for page, _ in STUDIES.values()),
    *(f"docs/{page}" for page in TABLES.values()),
)
BROAD = 850  # dots; a phone scrolls a wider group of panels
Manifest = Mapping[str, Mapping[str, Any]]
Panels = Mapping[str, Mapping[str, Box]]


def write_pages(root: Path = ROOT) -> list[Path]:
    """Write the block of every page from the data of a checkout, and return the pages."""
    found = blocks(root)
    for path, block in found.items():
        text = path.read_text(encoding="utf-8")
        path.write_text(between_markers(text, MARKERS, block), encoding="utf-8")
    return list(found)


def blocks(root: Path = ROOT) -> dict[Path, str]:
    """Return what each page says from data, by its path."""
    docs = root / "docs"
    manifest, summary = read_json(docs / "manifest.json"), summary_in(docs / "results")
    panels = read_json(docs / "results/panels.json")
    ledger = origin(manifest, catalogue.names(), "manifest.json")
    found = {
        root / "README.md": readme_part(summary, ledger.replace("(manifest", "(docs/manifest")),
        root / "manuscript/paper.md": manuscript_part(summary),
        docs / "results.md": page_part(summary, ledger),
        docs / "results-statements.md": statements_part(summary, ledger),
        docs / "open-choices.md": open_choices.table(summary.rows),
    }
    if (docs / "replication.json").exists():
        for name in ("replication", "replication-tables"):
            found[docs / f"{name}.md"] = replication_part(
                docs / "replication.json", manifest, f"{name}.md"
            )
    for name in catalogue.names():
        for page, template in ((name, "figure.md"), (f"{name}-numbers", "numbers.md")):
            found[docs / "results" / f"{page}.md"] = figure_part(
                summary, catalogue.find(name), manifest, template, panels
            )
    for name, (page, picture) in STUDIES.items():
        path = docs / "results" / f"{name}.json"
        if path.exists():
            data = read_json(path)
            more = TABLES.get(name, "")
            found[docs / page] = study_part(data, picture, manifest, name, more, panels)
            if more:
                found[docs / more] = render(
                    "study_tables.md", **data, origin=origin(manifest, [name], "manifest.json")
                ).strip()
            if name == "when_hierarchy_pays":
                found[docs / page] += f"\n\n{networks_part(root)}"
                found[docs / "when-hierarchy-pays.md"] = data["tables"].partition("\n\n")[0]
    return found


def panel_pictures(panels: Panels) -> list[str]:
    """Return the files of all groups of panels, by their paths in a checkout."""
    return [panel_picture(name, letter) for name in panels for letter in panels[name]]


def panel_picture(name: str, letter: str) -> str:
    """Return the file of one group of panels, by its path in a checkout."""
    page = STUDIES[name][1].removesuffix(".png") if name in STUDIES else f"results/{name}"
    return f"docs/{page}-{letter}.png"


def read_json(path: Path) -> Any:
    """Return what a file of data holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def summary_in(folder: Path) -> Summary:
    """Return the ledger of a folder of results."""
    return Summary(read_ledger(folder / "ledger.json"))


def page_part(summary: Summary, origin: str = "") -> str:
    """Return what the page of results says, with links to the pages of the figures."""
    figures = [catalogue.find(name) for name in catalogue.names()]
    return render("ledger.md", it=summary, figures=figures, folder="results", origin=origin).strip()


def statements_part(summary: Summary, origin: str = "") -> str:
    """Return a line for every statement, grouped by verdicts."""
    return render("statements.md", it=summary, folder="results", origin=origin).strip()


def readme_part(summary: Summary, origin: str = "") -> str:
    """Return what the README says."""
    return render("readme.md", it=summary, origin=origin).strip()


def manuscript_part(summary: Summary) -> str:
    """Return what the manuscript says of the ledger, in two sentences."""
    counts = summary.counts.get(HOLDS, dict.fromkeys(COLUMNS, 0))
    asked = {
        column: summary.counted - summary.counts.get(NOT_ASKED, {}).get(column, 0)
        for column in COLUMNS
    }
    others = [f"{counts[one]} of {asked[one]} in {one}" for one in COLUMNS[1:] if asked[one]]
    return (
        f"The {len(summary.rows)} claims of the paper consist of {summary.counted} statements, "
        f"judged in {summary.sample}. {counts[PAPER]} of them hold in the paper's setting"
        f"{'; of those that were asked elsewhere, ' if others else ''}{', '.join(others)}."
    )


def figure_part(
    summary: Summary,
    experiment: Experiment,
    manifest: Manifest,
    template: str = "figure.md",
    panels: Panels = MappingProxyType({}),
) -> str:
    """Return what the page of an experiment's figure says, or that of its numbers."""
    name, rows = experiment.name, summary.rows_of(experiment.name)
    asked = {column for row in rows for one in row["statements"] for column in one["columns"]}
    return render(
        template,
        it=experiment,
        **picture_parts(
            name,
            name,
            f"Figure {experiment.figure}: {experiment.title}",
            manifest.get(name, {}).get("caption", experiment.caption),
            panels,
        ),
        origin=origin(manifest, [name], "../manifest.json"),
        rows=rows,
        counted={word: some[PAPER] for word, some in Summary(rows).in_short.items()},
        asked=[column for column in COLUMNS if column in asked],
    ).strip()


def replication_part(path: Path, manifest: Manifest, template: str = "figure.md") -> str:
    """Return what a page of the direct replication says."""
    figures = read_json(path)
    for figure in figures:
        says = (one["says"] for row in figure["claims"] for one in row["statements"])
        figure["counts"] = Counter(says)
    words = sorted({word for figure in figures for word in figure["counts"]})
    of = origin(manifest, ["replication"], "manifest.json")
    return render(template, figures=figures, words=words, origin=of).strip()


def study_part(
    data: Mapping[str, Any],
    picture: str,
    manifest: Manifest,
    name: str,
    more: str = "",
    panels: Panels = MappingProxyType({}),
) -> str:
    """Return what the page of a study says; its tables too, unless they are on one more page."""
    of = origin(manifest, [name], "manifest.json")
    caption = manifest.get(name, {}).get("caption", "")
    title = f"{data['title'][:1].upper()}{data['title'][1:]}"
    parts = picture_parts(name, picture.removesuffix(".png"), title, caption, panels)
    return render("study.md", **{**data, **parts}, origin=of, more=more).strip()


def picture_parts(
    name: str, picture: str, title: str, caption: str, panels: Panels
) -> dict[str, Any]:
    """Return what a page shows of a figure: its groups of panels and the parts of its caption."""
    groups = list(panels.get(name, ()))
    first, words, last = by_letter(caption, groups) if groups else ("", {}, caption)
    return {
        "picture": picture,
        "title": title,
        "groups": groups,
        "broad": [one for one in groups if _width(ROOT / panel_picture(name, one)) > BROAD],
        "wide": name in panels,  # and cannot be taken apart
        "first": first,
        "words": words,
        "last": last,
    }


def _width(picture: Path) -> int:
    with Image.open(picture) as opened:
        return opened.width


def networks_part(root: Path) -> str:
    """Return what networks learn, from the data of `benchmarks/deep/when.py`."""
    table = networks.table(read_json(root / "benchmarks/deep/when.json"))
    return (
        f"Networks: goals reached in {len(networks.MAZES)} mazes after equal numbers of updates, "
        "the settings of\neach map chosen in the other half of the mazes (* at an end of a list).\n"
        f"\n{table}\n\nBy `python -m benchmarks.deep.when`, on one H200."
    )


def origin(manifest: Manifest, names: Iterable[str], link: str) -> str:
    """Return which code made the runs of some steps, when and by which command, in one line."""
    entries = [manifest[name] for name in names if name in manifest]
    if not entries:
        return ""
    one, date = entries[0], max(entry["date"] for entry in entries)
    runs = sum(entry["runs"] for entry in entries)
    alone = len(entries) == 1
    command = f"`{one['command']}`" if alone else "`make evidence`"
    sample = f", {one['sample']}" if alone and one["sample"] else ""
    made = f"{runs:,} runs{sample}, by" if runs else "Made by"
    judged = f" Verdicts follow the rules of {one['judged']}." if alone and "judged" in one else ""
    return (
        f"{made} {command} on {date}, commit {one['commit']}, sources "
        f"{one['sources']} ([manifest]({link})).{judged}"
    )


if __name__ == "__main__":
    write_pages()
