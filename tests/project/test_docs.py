"""The pages of docs/ against the code: what they list exists, and what they run runs.

Links between pages, and cells of notebooks, are checked when the site is built.
"""

import re
from functools import reduce
from importlib import import_module

import pytest
from release.notebooks import FOLDER, PAGES, notebook

import hsr
from hsr._base.extras import MissingExtraError
from tests.project.tree import ROOT, text_of

WRITE = "the page has changed: python release/notebooks.py"
SOURCE, DOCS = ROOT / "src" / "hsr", ROOT / "docs"


def pages():
    """Return the text of every page by its path."""
    paths = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    return {
        path.relative_to(ROOT).as_posix(): text_of(path) for path in [*paths, ROOT / "README.md"]
    }


def prose_of(text):
    """Return a page without its blocks of code."""
    return re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", text, flags=re.M | re.S)


@pytest.fixture(scope="module")
def prose():
    return {page: prose_of(text) for page, text in pages().items()}


def cited(text):
    return set(re.findall(r"\[([a-z]+\d{4})\]", text))


def test_what_is_cited_is_in_the_bibliography(prose):
    keys = re.findall(r"^\| ([a-z]+\d{4}) \|", text_of("docs/bibliography.md"), re.M)
    assert keys == sorted(set(keys))
    entries = re.findall(r"^\| [a-z]+\d{4} \|.*", text_of("docs/bibliography.md"), re.M)
    assert [line for line in entries if "](http" not in line and "](<http" not in line] == []
    unknown = {page: cited(text) - set(keys) for page, text in prose.items()}
    unknown |= {
        path.name: cited(text_of(path)) - set(keys) for path in sorted(SOURCE.rglob("*.py"))
    }
    assert {page: keys for page, keys in unknown.items() if keys} == {}


def test_names_and_files_of_the_package_exist(prose):
    packages = "|".join(path.name for path in SOURCE.iterdir() if path.is_dir())
    missing = []
    for page, text in prose.items():
        files = re.findall(rf"`((?:{packages})/[\w/]+\.py)`", text)
        missing += [(page, file) for file in files if not (SOURCE / file).exists()]
        names = set(re.findall(r"`(hsr(?:\.\w+)+)", text))
        missing += [(page, name) for name in sorted(names) if not resolves(name)]
    assert missing == []


def resolves(name):
    """Return whether `hsr.a.b` is a public name with its attributes, or a module with its names."""
    parts = name.split(".")[1:]
    for n in range(len(parts), 0, -1):
        path = SOURCE.joinpath(*parts[:n])
        if path.with_suffix(".py").exists() or (path / "__init__.py").exists():
            try:
                module = import_module(".".join(["hsr", *parts[:n]]))
            except MissingExtraError:  # judged where its packages are installed
                return True
            return reduce(lambda value, part: getattr(value, part, None), parts[n:], module)
    return reduce(lambda value, part: getattr(value, part, None), parts, hsr)


def test_addresses_that_no_browser_can_open_are_code(prose):
    """Sphinx makes a link of every address, also of tcp://10.0.0.1:8786."""
    for page, text in prose.items():
        bare = re.sub(r"(`+).+?\1", "", text, flags=re.S)
        schemes = set(re.findall(r"\b([a-z][a-z0-9+.-]*)://[^\s)>]+", bare))
        assert schemes <= {"http", "https"}, page


def test_every_claim_of_the_lists_is_told_in_words_on_the_page_of_results():
    lists, _, told = text_of("docs/results.md").partition("## Claim by claim")
    _, _, lists = lists.partition("written by studies/pages.py")
    claims = set(re.findall(r"`([a-z]+(?:-[a-z0-9]+)*)`[ ,.]", lists))
    assert len(claims) == 30
    assert [name for name in sorted(claims) if f"| [`{name}`](" not in told] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_holds_its_page(name):
    assert (FOLDER / f"{name}.ipynb").read_text("utf-8") == notebook(name), WRITE
