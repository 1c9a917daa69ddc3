"""Show another version of a picture on dark pages, if there is one.

If `NAME-dark.png` lies next to a picture `NAME.png`, light pages show the one and dark pages the
other. All other pictures are figures on white, for which `_static/site.css` has a white card.
"""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class DarkPictures(SphinxTransform):
    """Add the dark version next to each picture that has one, with the classes of the theme."""

    default_priority = 500

    def apply(self) -> None:
        """Replace each such picture by both versions."""
        for light in list(self.document.findall(nodes.image)):
            path = Path(light["uri"])
            other = path.with_name(f"{path.stem}-dark{path.suffix}").as_posix()
            if "://" in light["uri"] or not Path(self.env.relfn2path(other)[1]).exists():
                continue
            dark = light.deepcopy()
            dark["uri"] = other
            light["classes"].append("only-light")
            dark["classes"].append("only-dark")
            light.parent.insert(light.parent.index(light) + 1, dark)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_transform(DarkPictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
