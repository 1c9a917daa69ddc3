"""Every public name has its place in the reference, with a docstring, and is linked from wherever
it is named.

- The directive `reference` writes the entries of the names listed in it, with a table of their
  first lines above them.
- The role `name`, the default role of docstrings, links what is in the reference and prints the
  rest as code.
- Code such as `hsr.train` in a page becomes a link, too.
- A name of a package's `__all__` that has no docstring, or no entry, is a warning; with ``sphinx
  -W`` the build fails.

The packages are listed in `public_names` of conf.py.
"""

import inspect
from importlib import import_module
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

logger = getLogger(__name__)


class Reference(SphinxDirective):
    """Write the entries of the names listed, one a line, of the package given as the argument."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a table of first lines, and the entries."""
        package = self.arguments[0]
        names = [
            name
            for line in self.content
            if (name := line.strip()) and self._exists(f"{package}.{name}")
        ]
        lines = [
            "```{eval-rst}",
            f".. currentmodule:: {package}",
            "",
            ".. autosummary::",
            "   :nosignatures:",
            "",
        ]
        lines += [f"   {name}" for name in names] + [""]
        for name in names:
            kind = kind_of(f"{package}.{name}")
            options = ["   :members:", "   :inherited-members:"] if kind == "class" else []
            lines += [f".. auto{kind}:: {name}", *options, ""]
        node = nodes.Element()
        self.state.nested_parse(
            StringList([*lines, "```"], self.env.docname), self.content_offset, node
        )
        return node.children

    def _exists(self, name: str) -> bool:
        if find(name) is None:
            logger.warning(
                "%s is in the reference and does not exist",
                name,
                type="public_names",
                location=self.get_location(),
            )
        return find(name) is not None


def kind_of(name: str) -> str:
    """Return autodoc's word for what a name stands for."""
    value = find(name)
    if isinstance(value, type):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"


def find(name: str) -> Any:
    """Return what a dotted name of a package stands for, None if it has none."""
    package, _, last = name.rpartition(".")
    return getattr(import_module(package), last, None)


def code_or_link(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: Any = None,
    content: Any = (),
):
    """Return a reference that may fail: the text as code, linked where the reference has it."""
    return [tentative(text)], []


def tentative(text: str, target: str | None = None) -> addnodes.pending_xref:
    """Return a reference to a Python object that is plain code if there is no such object."""
    literal = nodes.literal(text, text, classes=["xref", "py"])
    node = addnodes.pending_xref(
        "", literal, refdomain="py", reftype="obj", reftarget=target or f"hsr.{text.strip('()')}"
    )
    node["tentative"] = True
    return node


class LinkNames(SphinxTransform):
    """Turn code that is a public name, `hsr.train` or `LinearQ`, into a link to its entry."""

    default_priority = 400

    def apply(self) -> None:
        """Replace what is a name, and is not in a link already."""
        public = names_of("hsr")
        for literal in list(self.document.findall(nodes.literal)):
            target = literal.astext().removesuffix("()")
            known = (
                target.split(".")[1] in public
                if target.startswith("hsr.")
                else target in public and is_distinct(target)
            )
            if known and not isinstance(
                literal.parent, (nodes.reference, addnodes.pending_xref, nodes.title)
            ):
                node = tentative(
                    literal.astext(), target if target.startswith("hsr.") else f"hsr.{target}"
                )
                node["refdoc"] = self.env.docname
                literal.parent.replace(literal, node)


def is_distinct(name: str) -> bool:
    """Return whether a word can only be the name: `LinearQ` and `learn_sr` are, `train` is a word
    like any other.
    """
    return "_" in name or name != name.lower()


def names_of(package: str) -> list[str]:
    """Return a package's public names."""
    return [name for name in import_module(package).__all__ if not name.startswith("__")]


def unresolved(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, content: nodes.Element
) -> nodes.Node | None:
    """Leave a tentative reference that found nothing as code, without a warning."""
    return content if node.get("tentative") else None


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of every public name that has no docstring or no entry."""
    documented = env.get_domain("py").objects  # type: ignore[attr-defined]
    for package in app.config.public_names:
        for name in names_of(package):
            full = f"{package}.{name}"
            if full not in documented:
                logger.warning(
                    "%s is public and has no entry in the reference", full, type="public_names"
                )
            if not has_docstring(find(full)):
                logger.warning("%s is public and has no docstring", full, type="public_names")


def has_docstring(value: Any) -> bool:
    """Return whether a function or class has a docstring of its own, neither inherited nor made up
    by `dataclass`.
    """
    if isinstance(value, type):
        own = value.__dict__.get("__doc__") or ""
        return bool(own) and not own.startswith(f"{value.__name__}(")
    return not callable(value) or bool(inspect.getdoc(value))


def keep_colons(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Put an empty comment before a property's first line, where Napoleon would take what stands
    before a colon for a type.
    """
    if what in ("property", "attribute"):
        lines[:0] = ["..", ""]


def is_foreign(
    app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out members that another package brings in, and the fields of tuples, which their class
    lists itself.
    """
    function = (
        getattr(value, "fget", None)
        or getattr(value, "func", None)
        or getattr(value, "__func__", value)
    )
    home = getattr(function, "__module__", None) or ""
    return (
        None
        if home.split(".")[0] in {package.split(".")[0] for package in app.config.public_names}
        else True
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this extension does."""
    app.add_config_value("public_names", [], "env")
    app.add_directive("reference", Reference)
    app.add_role("name", code_or_link)
    app.add_transform(LinkNames)
    app.connect("missing-reference", unresolved, priority=900)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
