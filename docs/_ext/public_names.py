"""The API reference: an entry with a docstring for every public name, and links to it.

- The directive `reference` writes an entry for every public name of a package.
- The role `name`, the default role of docstrings, links names that are in the reference and formats
  others as code.
- Code such as `hsr.train` in a page becomes a link, too.
- A name in a package's `__all__` without a docstring or without an entry causes a warning, and with
  ``sphinx -W`` the build fails.

`public_names` in conf.py lists the packages.
"""

import inspect
import re
import sys
from functools import cache
from importlib import import_module
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

import hsr
from hsr._base.registry import Registry

logger = getLogger(__name__)


class Reference(SphinxDirective):
    """Write an entry for every public name of a package, below a table of summaries.

    A name that `hsr` itself offers is shown as `hsr.NAME`. Names can also be listed, one per line.
    """

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a table of summaries, and the entries."""
        package = self.arguments[0]
        listed = [f"{package}.{line.strip()}" for line in self.content if line.strip()]
        names = listed or public_of(package, self.config.public_names)
        lines = ["```{eval-rst}"]
        for module in dict.fromkeys(name.rpartition(".")[0] for name in names):
            of_module = [name.rpartition(".")[2] for name in names if name.startswith(f"{module}.")]
            lines += entries(module, [name for name in of_module if find(f"{module}.{name}")])
        node = nodes.Element()
        self.state.nested_parse(
            StringList([*lines, "```"], self.env.docname), self.content_offset, node
        )
        return node.children


def entries(module: str, names: list[str]) -> list[str]:
    """Return a table of summaries and the entries of some names of a module."""
    kinds = {name: kind_of(f"{module}.{name}") for name in names}
    lines = [f".. currentmodule:: {module}", "", ".. autosummary::", "   :nosignatures:", ""]
    lines += [f"   {name}" for name, kind in kinds.items() if kind != "data"] + [""]
    for name, kind in kinds.items():
        options = ["   :members:", "   :inherited-members:"] if kind == "class" else []
        data = kind == "data"
        lines += entry_of_data(module, name) if data else [f".. auto{kind}:: {name}", *options, ""]
    return lines


def public_of(package: str, public: list[str]) -> list[str]:
    """Return the names of a package that are documented, each where users find it."""
    here = [f"hsr.{name}" for name, home in hsr._PACKAGE_OF.items() if home == package]
    own = names_of(package) if package in public else []
    return here + [f"{package}.{name}" for name in own if f"hsr.{name}" not in here]


def kind_of(name: str) -> str:
    """Return the kind of a name in autodoc's terms."""
    value = find(name)
    if isinstance(value, type):
        return "exception" if issubclass(value, BaseException) else "class"
    return "data" if is_data(value) else "function"


def is_data(value: Any) -> bool:
    """Return whether a public name is a constant."""
    return not callable(value)


def entry_of_data(package: str, name: str) -> list[str]:
    """Return the entry of a constant: its docstring, and the names that a registry holds."""
    value = find(f"{package}.{name}")
    lines = [f".. py:data:: {name}", f"   :module: {package}", ""]
    lines += [f"   {line}" for line in docstring_of_data(name, value)] + [""]
    if isinstance(value, Registry):
        lines += [f"   - ``{known}``: {value[known].summary}" for known in value.built_in] + [""]
    return lines


def docstring_of_data(name: str, value: Any) -> list[str]:
    """Return the string below the assignment of a constant, in the module that defines it."""
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith("hsr.") and getattr(module, name, None) is value:
            comments = ModuleAnalyzer.for_module(module_name).find_attr_docs()
            if found := comments.get(("", name)):
                return found
    return []


def find(name: str) -> Any:
    """Return the object with a dotted name, or None."""
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
    """Return the text as code, linked if the reference has it."""
    return [tentative(text)], []


def tentative(text: str, target: str | None = None) -> addnodes.pending_xref:
    """Return a reference to a Python object that falls back to plain code."""
    literal = nodes.literal(text, text, classes=["xref", "py"])
    first, dot, rest = text.strip("()").partition(".")
    found = target or homes().get(first, f"hsr.{first}") + dot + rest
    node = addnodes.pending_xref("", literal, refdomain="py", reftype="obj", reftarget=found)
    node["tentative"] = True
    return node


@cache
def homes() -> dict[str, str]:
    """Return where users find each public name: in `hsr` itself, or else in its package."""
    packages = [f"hsr.{name}" for name in hsr._PACKAGES.split() if name not in ("lab", "cli")]
    found = {
        name: f"{package}.{name}"
        for package in packages
        if hasattr(import_module(package), "__all__")
        for name in names_of(package)
    }
    return found | {name: f"hsr.{name}" for name in names_of("hsr")}


class LinkNames(SphinxTransform):
    """Turn public names in code, such as `hsr.train` or `LinearQ`, into links."""

    default_priority = 400

    def apply(self) -> None:
        """Replace names that are not yet links."""
        for literal in list(self.document.findall(nodes.literal)):
            target = literal.astext().removesuffix("()")
            *_, last = ("", *target.split(".")[:3])
            known = (
                {target.split(".")[1], last} & set(homes())
                if target.startswith("hsr.")
                else target in homes() and is_distinct(target)
            )
            if known and not is_linked(literal):
                node = tentative(
                    literal.astext(), target if target.startswith("hsr.") else homes()[target]
                )
                node["refdoc"] = self.env.docname
                literal.parent.replace(literal, node)


def is_linked(node: nodes.Node | None) -> bool:
    """Return whether a node stands in a link or a title: links in links have no text."""
    links = (nodes.reference, addnodes.pending_xref, nodes.title)
    return node is not None and (isinstance(node, links) or is_linked(node.parent))


def is_distinct(name: str) -> bool:
    """Return whether a word can only be a name: `LinearQ` and `learn_sr`, but not `train`."""
    return "_" in name or name != name.lower()


def names_of(package: str) -> list[str]:
    """Return a package's public names."""
    return [name for name in import_module(package).__all__ if not name.startswith("__")]


def unresolved(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, content: nodes.Element
) -> nodes.Node | None:
    """Look for a name where users find it, and leave it as code if it is only tentative."""
    home = homes().get(node.get("reftarget", ""))
    if home is not None:
        found = env.get_domain("py").resolve_xref(
            env, node.get("refdoc", ""), app.builder, "obj", home, node, content
        )
        if found is not None:
            return found
    return content if node.get("tentative") else None


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about public names without a docstring or an entry."""
    documented = env.get_domain("py").objects  # type: ignore[attr-defined]
    for package in app.config.public_names:
        for name in names_of(package):
            if not {f"{package}.{name}", f"hsr.{name}"} & set(documented):
                logger.warning(
                    "%s.%s is public and has no entry in the reference",
                    *(package, name),
                    type="public_names",
                )
            value = find(f"{package}.{name}")
            if not (docstring_of_data(name, value) if is_data(value) else has_docstring(value)):
                logger.warning("%s.%s has no docstring", package, name, type="public_names")


def has_docstring(value: Any) -> bool:
    """Return whether an object has its own docstring, not inherited or made by `dataclass`."""
    if isinstance(value, type):
        own = value.__dict__.get("__doc__") or ""
        return bool(own) and not own.startswith(f"{value.__name__}(")
    return bool(inspect.getdoc(value))


def keep_colons(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Put an empty comment before a property's first line.

    Otherwise Napoleon would read the text before a colon as a type.
    """
    if what in ("property", "attribute"):
        lines[:0] = ["..", ""]


def is_foreign(
    app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any
) -> bool | None:
    """Omit members inherited from other packages, and the fields of tuples."""
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


def mend_backlinks(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Lead the links of source pages to the entries of their names.

    A source file may have names of `hsr` and of a package, and viewcode knows one prefix per file.
    """
    if not pagename.startswith("_modules/"):
        return
    entries = app.env.get_domain("py").objects  # type: ignore[attr-defined]

    def right(found: re.Match[str]) -> str:
        name = found[2]
        if name in entries:
            return found[0]
        parts = name.split(".")
        ends = tuple("." + ".".join(parts[i:]) for i in range(1, len(parts)))
        page = found[1].rpartition("../")[2].removesuffix(".html")
        homes = [one for one in entries if one.endswith(ends) and entries[one].docname == page]
        return f'href="{found[1]}#{homes[0]}"' if homes else found[0]

    context["body"] = re.sub(r'href="([^"#]+)#([\w.]+)"', right, context.get("body", ""))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_config_value("public_names", [], "env")
    app.add_directive("reference", Reference)
    app.add_role("name", code_or_link)
    app.add_transform(LinkNames)
    app.connect("missing-reference", unresolved, priority=900)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("env-check-consistency", check)
    app.connect("html-page-context", mend_backlinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
