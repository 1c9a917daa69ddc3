"""A table of packages, written from their docstrings when the site is built.

In the page `architecture`, the comment ``<!-- packages -->`` becomes a table of the packages in the
order of their layers.
"""

import ast
import re
import tomllib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

logger = getLogger(__name__)
PAGE = "architecture"


def layers(root: Path) -> list[str]:
    """Return the packages from top to bottom, in the order of the import-linter contract."""
    tools = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contract = next(one for one in tools["importlinter"]["contracts"] if one["type"] == "layers")
    return [name.strip() for layer in contract["layers"] for name in layer.split("|")]


def summary(path: Path) -> str:
    """Return the first sentence of a module's docstring, on one line; empty if it has none."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z`])", paragraph)[0].replace("|", r"\|")


def table(title: str, paths: dict[str, Path]) -> str:
    """Return a table of names and first sentences."""
    rows = []
    for name, path in paths.items():
        if not summary(path):
            logger.warning("%s has no docstring", path, type=PAGE)
        rows.append(f"| `{name}` | {summary(path)} |")
    return "\n".join([f"| {title} | what it holds |", "|---|---|", *rows])


def write(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the two comments of the page."""
    if docname != PAGE:
        return
    root = Path(app.srcdir).resolve().parent
    package = root / "src" / "hsr"
    names = layers(root)
    heads = {f"hsr.{name}": package / name / "__init__.py" for name in names}
    files = {
        name: path if path.exists() else package / f"{name[4:]}.py" for name, path in heads.items()
    }
    source[0] = source[0].replace("<!-- packages -->", table("package", files))


def outdated(app: Sphinx, *_: object) -> list[str]:
    """Return the page: any module may have changed."""
    return [PAGE] if PAGE in app.env.found_docs else []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this extension does."""
    app.connect("source-read", write)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
