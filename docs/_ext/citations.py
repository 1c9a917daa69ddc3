"""Link citations to the bibliography: `[dayan1993]` in a page or a docstring.

The first column of the table of the bibliography holds the keys. Each row gets its key as an
anchor, and a known key in brackets becomes a link to it. An unknown key stays text, and
tests/project/test_docs.py reports it.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_refnode

KEY = re.compile(r"\[([a-z]+\d{4})\]")


class Anchors(SphinxTransform):
    """Give each row of the bibliography's table its key as an anchor."""

    default_priority = 500

    def apply(self) -> None:
        """Add the anchors, and record the keys."""
        if self.env.docname != self.config.citations_page:
            return
        keys = self.env.metadata[self.env.docname].setdefault("keys", "")
        for row in self.document.findall(nodes.row):
            key = row[0].astext()
            if KEY.fullmatch(f"[{key}]"):
                row["ids"].append(key)
                keys += f" {key}"
        self.env.metadata[self.env.docname]["keys"] = keys


class Links(SphinxTransform):
    """Turn keys in brackets into references, which are resolved after all pages are read."""

    default_priority = 500

    def apply(self) -> None:
        """Replace each text that contains keys."""
        for text in list(self.document.findall(nodes.Text)):
            inside = isinstance(
                text.parent, (nodes.literal, nodes.literal_block, nodes.reference, nodes.raw)
            )
            if not inside and KEY.search(text):
                text.parent.replace(
                    text, [self._piece(i, piece) for i, piece in enumerate(KEY.split(text))]
                )

    def _piece(self, i: int, piece: str) -> nodes.Node:
        if i % 2 == 0:
            return nodes.Text(piece)
        whole = nodes.inline("", f"[{piece}]")
        target = {
            "refdomain": "citation",
            "reftype": "ref",
            "reftarget": piece,
            "refdoc": self.env.docname,
        }
        return addnodes.pending_xref("", whole, tentative=True, **target)


def keys_of(env: BuildEnvironment) -> set[str]:
    """Return the keys of the bibliography's table."""
    return set(env.metadata.get(env.config.citations_page, {}).get("keys", "").split())


def resolve(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, content: nodes.Element
) -> nodes.Node | None:
    """Resolve a key to its row in the bibliography."""
    key = node["reftarget"]
    if node.get("refdomain") == "citation" and key in keys_of(env):
        return make_refnode(
            app.builder, node["refdoc"], app.config.citations_page, key, content, key
        )
    return content if node.get("refdomain") == "citation" and node.get("tentative") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_config_value("citations_page", "bibliography", "env")
    app.add_transform(Anchors)
    app.add_transform(Links)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
