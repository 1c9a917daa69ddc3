"""Rewrite links to files outside docs/, which exist in a clone but not on the site.

A link to a file that a page of the site includes (`../CHANGELOG.md`) becomes a link to that page.
`outside_pages` in conf.py lists them. A link to a script of examples/ becomes a link to its page. A
link to any other file of the repository becomes plain text. A link to a file that does not exist is
left alone and causes a warning.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]+)(#[^)]*)?\)")


def rewrite(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the links of a page that lead out of docs/."""
    root = Path(app.srcdir).resolve()
    folder = (root / docname).parent

    def replaced(found: re.Match[str]) -> str:
        words, link, _ = found.groups()
        target = (folder / link).resolve()
        if target.is_relative_to(root) or not target.exists():
            return found[0]
        page = page_of(target.relative_to(root.parent), root, app.config.outside_pages)
        return f"[{words}](/{page})" if page else words

    source[0] = LINK.sub(replaced, source[0])


def page_of(file: Path, root: Path, included: dict[str, str]) -> str | None:
    """Return the page that shows a file of the repository, None if there is none."""
    example = file.with_suffix(".md")
    if file.suffix == ".py" and file.parent == Path("examples") and (root / example).exists():
        return example.as_posix()
    return included.get(file.as_posix())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_config_value("outside_pages", {}, "env")
    app.connect("source-read", rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
