"""Write examples/notebooks from pages of docs/: `python release/notebooks.py`.

Each reader has a notebook with the cells of one page, which Google Colab opens from the repository.
Its first cell installs `hsr` where it is missing. Outputs are left out.
"""

import json
import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples/notebooks"
REPOSITORY = "OWNER/hsr"
PAGES = {
    "reinforcement-learning": "docs/start.md",
    "neuroscience": "docs/neuroscience.md",
    "teaching": "docs/tutorials/your-own-maze.md",
}
INSTALL = f"""\
# Installs hsr where it is missing, as on Google Colab. Takes a minute.
import importlib.util

if importlib.util.find_spec("hsr") is None:
    %pip install --quiet "hsr-rl[all] @ git+https://github.com/{REPOSITORY}"
%matplotlib inline"""
FENCE = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<block>.*?)^```$", re.M | re.S)
CODE, LEFT_OUT = ("python", "{code-cell}"), ("text", "{index}", "{toctree}")


def main() -> None:
    """Write every notebook."""
    FOLDER.mkdir(exist_ok=True)
    for name in PAGES:
        (FOLDER / f"{name}.ipynb").write_text(notebook(name), encoding="utf-8")


def notebook(name: str) -> str:
    """Return a notebook as JSON."""
    page = PAGES[name]
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)  # front matter
    cells = [("code", INSTALL)]
    end = 0
    for found in FENCE.finditer(text):
        cells.append(("markdown", in_markdown(text[end : found.start()], page)))
        end = found.end()
        kind = found["kind"].split(" ")[0]
        if kind in CODE:
            cells.append(("code", code_of(found["block"])))
        elif kind not in LEFT_OUT:
            cells.append(("markdown", found[0]))
    cells.append(("markdown", in_markdown(text[end:], page)))
    title = cells.pop(1)  # before the cell that installs
    kept = [title, *((kind, source) for kind, source in cells if source)]
    return (
        json.dumps(
            {
                "cells": [cell(k, kind, source) for k, (kind, source) in enumerate(kept)],
                "metadata": {
                    "kernelspec": {
                        "display_name": "Python 3",
                        "language": "python",
                        "name": "python3",
                    },
                    "language_info": {"name": "python"},
                },
                "nbformat": 4,
                "nbformat_minor": 5,
            },
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    )


def cell(number: int, kind: str, source: str) -> dict[str, Any]:
    """Return a cell without outputs."""
    found: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }
    return found | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def code_of(block: str) -> str:
    """Return the code of a fence without the options of its cell; a saved figure is shown too."""
    lines = [line for line in block.splitlines() if not re.match(r":[\w-]+:", line)]
    code = "\n".join(lines).strip()
    return f"{code}\nfigure" if code.splitlines()[-1].startswith("save_figure(figure,") else code


def in_markdown(text: str, page: str) -> str:
    """Return prose with plain roles, and with links and pictures that lead to the repository."""
    text = re.sub(r"\{py:\w+\}`~?([^`]*)`", r"`\1`", text)

    def address(found: re.Match[str]) -> str:
        picture, words, link = found.groups()
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
        host = (
            f"raw.githubusercontent.com/{REPOSITORY}/main"
            if picture
            else f"github.com/{REPOSITORY}/blob/main"
        )
        return f"{picture}[{words}](https://{host}/{target})"

    return re.sub(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#\s][^)\s]*)\)", address, text).strip()


if __name__ == "__main__":
    main()
