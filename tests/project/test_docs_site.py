"""The extensions of the site, docs/_ext, on a tiny project: what they link, and what they refuse.

The site itself is built by `make docs`, with every warning as an error. Here is shown that the
warnings come.
"""

import io
import re
import sys

import pytest

from tests.project.test_docs import DOCS

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
pytest.importorskip("sphinx_design")
# Extensions that come with Sphinx use what a later Sphinx will take away.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"
)

CONF = """
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
extensions += ["sphinx_design", "architecture", "citations", "dark_pictures", "gallery"]
extensions += ["outside", "public_names"]
outside_pages = {"NEWS.md": "bibliography.md"}
public_names = ["tiny"]
nitpicky = True
default_role = "name"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autosummary_generate = False
napoleon_use_param = napoleon_use_rtype = False
"""
PACKAGE = '''"""A tiny package."""

from dataclasses import dataclass

__all__ = ["Box", "fill"]


@dataclass
class Box:
    """A box: something to `fill`."""

    size: int

    @property
    def volume(self):
        """Room inside: a number."""
        return self.size**3


def fill(box):
    """Fill a box [dayan1993]_ until `nothing` is left."""
'''
INDEX = """# Tiny

```{toctree}
architecture
bibliography
examples/index
examples/one
```

![A plain figure](plain.png)
![A screenshot](shot.png)

```{reference} tiny
Box
fill
```

Boxes are filled [dayan1993], not [nobody1999] and not `[dayan1993]`.
See {py:func}`tiny.fill` and `hsr.train`,
[the news](../NEWS.md), [an example](../examples/one.py),
[some code](../tiny.py) and [this page](../docs/index.md).
"""
ARCHITECTURE = """# Architecture

<!-- packages -->

## Modules

<!-- modules -->
"""
MODULES = {
    "docs/architecture.md": ARCHITECTURE,
    "pyproject.toml": """[[tool.importlinter.contracts]]
type = "layers"
layers = ["toolkit", "mdp"]
""",
    "src/hsr/toolkit.py": '"""Tools."""',
    "src/hsr/mdp/__init__.py": '"""Worlds, `a | b`. And more."""',
    "src/hsr/mdp/deep/chain.py": '"""Chains of\nstates. And more.\n\nMore."""',
}
EXAMPLES = {
    "docs/examples/index.md": "# Examples\n\n<!-- gallery -->\n\n## What not to conclude\n\nA.\n",
    "docs/examples/one.md": "# First\n\n<!-- example -->\n",
    "examples/README.md": "| script |\n| [`one.py`](one.py) | ones, `twos` | 3 s | Four. Five |\n",
    "examples/one.py": '"""Count.\n\n    python examples/one.py\n"""\n\nsix = 6\n',
}
TWO = "| [`two.py`](two.py) | twos | 2 s | Two |\n"
PICTURES = ("docs/plain.png", "docs/shot.png", "docs/shot-dark.png", "docs/examples/one.png")
BIBLIOGRAPHY = """# Bibliography

| key | work |
|---|---|
| dayan1993 | P. Dayan. Improving generalization. 1993. |
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Build the tiny project with one file changed; return its first page, warnings and status."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    monkeypatch.setattr(sys, "path", [str(tmp_path), str(DOCS / "_ext"), *sys.path])

    (tmp_path / "docs").mkdir()
    (tmp_path / "src/hsr/mdp/deep").mkdir(parents=True)
    (tmp_path / "docs/examples").mkdir()
    (tmp_path / "examples").mkdir()
    for name in PICTURES:
        (tmp_path / name).write_bytes(b"a picture")

    def built(file="tiny.py", right="", wrong=""):
        pages = {"docs/conf.py": CONF, "docs/index.md": INDEX, "docs/bibliography.md": BIBLIOGRAPHY}
        files = {**pages, **MODULES, **EXAMPLES, "tiny.py": PACKAGE, "NEWS.md": "Nothing new."}
        assert right in files[file]
        files[file] = files[file].replace(right, wrong, 1)
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        warned, source, out = io.StringIO(), tmp_path / "docs", tmp_path / "out"
        with patch_docutils(), docutils_namespace():
            settings = {"status": None, "warning": warned, "warningiserror": True}
            app = Sphinx(source, source, out, out / "trees", "html", None, **settings)
            app.build()
        text = re.sub(r"\x1b\[[\d;]*m", "", warned.getvalue())
        return (out / "index.html").read_text(encoding="utf-8"), text, app.statuscode

    yield built
    extensions = (
        "architecture",
        "public_names",
        "citations",
        "dark_pictures",
        "gallery",
        "outside",
    )
    for name in ("tiny", *extensions):
        sys.modules.pop(name, None)


def test_a_whole_reference_has_no_warnings(build):
    page, warned, status = build()
    assert (warned, status) == ("", 0)
    assert re.search(r'<dt class="[^"]*" id="tiny\.fill"', page)
    assert re.search(r'<dt class="[^"]*" id="tiny\.Box\.volume"', page)
    assert "Room inside: a number." in page


def test_packages_and_modules_are_listed_with_their_first_sentence(build, tmp_path):
    build()
    page = (tmp_path / "out" / "architecture.html").read_text(encoding="utf-8")
    cells = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", page, re.S)]
    assert [cell.strip() for cell in cells] == [
        *("hsr.toolkit", "Tools."),
        *("hsr.mdp", "Worlds, a | b."),
        *("deep/chain.py", "Chains of states."),
    ]


def test_keys_lead_to_their_rows_and_nowhere_else(build, tmp_path):
    page, *_ = build()
    links = re.findall(r'href="bibliography\.html#dayan1993"[^>]*><span>(.*?)</span>', page)
    assert links == 3 * [
        "[dayan1993]"
    ]  # in the table, in the docstring and in the prose, not in code
    assert '<tr class="row-even" id="dayan1993">' in (
        tmp_path / "out" / "bibliography.html"
    ).read_text(encoding="utf-8")
    assert "[nobody1999]" in page


def test_a_name_in_a_docstring_is_code_if_it_is_nobodys(build):
    page, *_ = build()
    assert re.search(r"<code[^>]*><span class=\"pre\">nothing</span></code>", page)


def test_a_link_out_of_the_site_leads_to_the_page_that_includes_the_file_or_is_text(build):
    page, *_ = build()
    assert re.search(
        r'<a class="reference internal" href="bibliography\.html">(<[^>]*>)*the news<', page
    )
    assert re.search(r'<a class="[^"]*" href="examples/one\.html">(<[^>]*>)*an example<', page)
    assert re.search(r"some code and <a [^>]*href=\"#[^>]*>(<[^>]*>)*this page<", page)


def test_an_example_has_a_card_and_a_page_with_its_figure_results_and_source(build, tmp_path):
    build()
    gallery, page = (
        (tmp_path / "out/examples" / name).read_text(encoding="utf-8")
        for name in ("index.html", "one.html")
    )
    assert re.search(r'<img alt="Figure of one\.py" class="[^"]*" src="[^"]*one\.png"', gallery)
    assert re.search(r'<a class="sd-stretched-link[^"]*" href="one\.html">', gallery)
    words = re.sub(r"<[^>]*>", "", gallery)
    assert "First" in words
    assert "Ones, twos." in words
    assert "<h1>First<" in page
    assert re.search(r'<img alt="Figure of one\.py" src="[^"]*one\.png"', page)
    words = re.sub(r"<[^>]*>", "", page)
    parts = [
        "Count.",
        "python examples/one.py",
        "Four. Five.",
        "3 s",
        "file is examples/one.py",
        "six = 6",
    ]
    at = [words.index(part, words.index("Count.")) for part in parts]
    assert at == sorted(at)


def test_dark_pages_show_the_dark_version_of_a_picture_that_has_one(build):
    page, *_ = build()
    shown = dict(re.findall(r'<img [^>]*?class="([^"]*)" src="_images/([^"]*)"', page))
    assert shown == {"only-light": "shot.png", "only-dark": "shot-dark.png"}
    assert re.search(r'<img alt="A plain figure" src="_images/plain\.png"', page)


FILL = '"""Fill a box [dayan1993]_ until `nothing` is left."""'
BOX = '    """A box: something to `fill`."""\n'
INDEX_FAULTS = (
    ("Box\nfill\n", "Box\n", "tiny.fill is public and has no entry"),
    ("Box\nfill\n", "Box\nfill\nfold\n", "tiny.fold is in the reference and does not exist"),
    ("{py:func}`tiny.fill`", "{py:func}`tiny.fold`", "target not found: tiny.fold"),
    ("See ", "See [a page](nowhere.md) and ", "target not found: 'nowhere.md'"),
    ("../tiny.py", "../nowhere.md", "nowhere"),
)
PACKAGE_FAULTS = (
    ('"fill"]', '"fill", "more"]\nmore = len', "tiny.more is public and has no entry"),
    (FILL, "box", "tiny.fill is public and has no doc"),
    (BOX, "", "tiny.Box is public and has no docstring"),
    ("[dayan1993]_", "[nobody1999]_", "citation not found: nobody1999"),
)


@pytest.mark.parametrize(
    ("file", "right", "wrong", "said"),
    [
        *(("docs/index.md", *fault) for fault in INDEX_FAULTS),
        *(("tiny.py", *fault) for fault in PACKAGE_FAULTS),
        ("src/hsr/toolkit.py", "Tools.", "", "toolkit.py has no docstring"),
        ("examples/README.md", "| script |\n", TWO, "examples/two.py needs docs/examples/two.png"),
    ],
)
def test_a_planted_fault_fails_the_build(build, file, right, wrong, said):
    _, warned, status = build(file, right, wrong)
    assert said in warned
    assert status == 1
