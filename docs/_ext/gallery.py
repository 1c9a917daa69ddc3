"""The gallery of examples, and a page for each with its figure, its results and its source.

- In the page `examples/index`, the comment ``<!-- gallery -->`` becomes a card for each script in
  examples/, in the order of its README, with the figure of the script as a thumbnail.
- In the page `examples/NAME`, the comment ``<!-- example -->`` becomes the docstring of the script,
  its figure, the results that the README lists, and the source.

A script without a page or a figure in docs/examples causes a warning, and with ``sphinx -W`` the
build fails.
"""

import ast
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

logger = getLogger(__name__)
FOLDER = "examples"
ROW = re.compile(r"^\| \[`(\w+)\.py`\]\([^)]*\) \| (.*?) \| (.*?) \| (.*?) \|$", re.M)
CARD = """:::{{grid-item-card}} {title}
:img-top: {name}.png
:img-alt: Figure of {name}.py
:link: {name}
:link-type: doc
{shows}
:::"""
PAGE = """{docstring}

:::{{div}} wide pair
![Figure of {name}.py]({name}.png)
:::

## Results

{results}

Time on one core: {time}. [What not to conclude](index.md#what-not-to-conclude) from them.

## Source

The file is `examples/{name}.py`.

```{{literalinclude}} ../../examples/{name}.py
:language: python
```"""


def rows(root: Path) -> dict[str, tuple[str, str, str]]:
    """Return what each script shows, its time and its results, as the README of examples/ says."""
    text = (root / FOLDER / "README.md").read_text(encoding="utf-8")
    return {name: (shows, time, results) for name, shows, time, results in ROW.findall(text)}


def gallery(root: Path) -> str:
    """Return the cards of all scripts."""
    cards = []
    for name, (shows, _, _) in rows(root).items():
        page = root / "docs" / FOLDER / f"{name}.md"
        for file in (page, page.with_suffix(".png")):
            if not file.exists():
                logger.warning("examples/%s.py needs %s", name, file.relative_to(root), type=FOLDER)
        if page.exists():
            title = page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            shown = f"{shows[:1].upper()}{shows[1:]}."
            cards.append(CARD.format(title=title, name=name, shows=shown))
    head = "::::{grid} 1 2 2 2\n:gutter: 3\n:class-container: gallery\n"
    return "\n\n".join([head, *cards, "::::"])


def page(root: Path, name: str) -> str:
    """Return what the page of a script says."""
    _, time, results = rows(root)[name]
    tree = ast.parse((root / FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    docstring = ast.get_docstring(tree) or ""
    return PAGE.format(docstring=docstring, name=name, time=time, results=f"{results}.")


def write(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the comments of the pages about examples."""
    folder, _, name = docname.rpartition("/")
    root = Path(app.srcdir).resolve().parent
    if folder != FOLDER:
        return
    if name == "index":
        source[0] = source[0].replace("<!-- gallery -->", gallery(root))
    elif "<!-- example -->" in source[0]:
        source[0] = source[0].replace("<!-- example -->", page(root, name))


def outdated(app: Sphinx, *_: object) -> list[str]:
    """Return the pages: any script may have changed."""
    return [name for name in app.env.found_docs if name.startswith(f"{FOLDER}/")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this extension does."""
    app.connect("source-read", write)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
