"""The built site: its links lead somewhere, and axe-core finds nothing serious.

`make docs` builds it first. HSR_SITE names another folder.
"""

import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("HSR_SITE", ROOT / "docs/_build/html"))
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
FAULTS = """async () => (await axe.run()).violations
    .filter(fault => ["serious", "critical"].includes(fault.impact))
    .map(fault => [fault.id, fault.nodes[0].html.slice(0, 200)])"""

pytestmark = pytest.mark.skipif(not SITE.exists(), reason="the site is not built: make docs")


class Links(HTMLParser):
    """Collects the anchors of a page, and where its links lead."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), set()
        self.open, self.nested = 0, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "a":
            self.open += 1
            self.nested += [given.get("href")] if self.open > 1 else []
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        self.links |= {given[key] for key in ("href", "src") if given.get(key)}

    def handle_endtag(self, tag):
        self.open -= tag == "a"


def test_every_link_leads_to_a_page_and_to_an_anchor():
    files = [path for path in SITE.rglob("*.html") if "_static" not in path.parts]
    pages = {path.resolve(): Links(path) for path in files}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            is_lab = target.name == "live-lab.html"  # what follows "#" is its state
            anchor = "" if is_lab else unquote(parts.fragment)
            if not target.exists() or (
                anchor and target in pages and anchor not in pages[target].ids
            ):
                dead.append(f"{path.relative_to(SITE.resolve())}: {link}")
    assert len(pages) > 50
    assert dead == []
    assert {path.name: page.nested for path, page in pages.items() if page.nested} == {}


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("grid cell", "place-fields"),
        ("place cell", "place-fields"),
        ("install", "install"),
        ("confidence interval", "choosing"),
        ("reward", "rewards"),
        ("successor features", "rewards"),
        ("cite", "bibliography"),
        ("options", "theory"),
    ],
)
def test_search_leads_first_to_the_page_that_a_reader_wants(words, page):
    """The search puts a main entry of the index before all other results."""
    text = (SITE / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").rstrip().removesuffix(")"))
    found = [index["docnames"][k] for k, _, main in index["indexentries"][words] if main]
    assert found == [page]


@pytest.mark.skipif(
    not AXE.exists() or shutil.which("chromium") is None, reason="needs Chromium and axe-core"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out(scheme):
    from playwright.sync_api import sync_playwright

    source = next((SITE / "_modules/hsr").rglob("*.html")).relative_to(SITE)
    names = [
        "index.html",
        "theory.html",
        "results.html",
        "teaching.html",
        "install.html",
        "results/online_transfer.html",
        "api/mdp.html#hsr.FiniteMDP",
        source,
    ]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_context(color_scheme=scheme).new_page()
        for name in names:
            page.goto(f"file://{SITE.resolve()}/{name}")
            page.evaluate(AXE.read_text(encoding="utf-8"))
            assert page.evaluate(FAULTS) == [], name
        browser.close()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_the_handout_is_one_page_of_paper():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"file://{SITE.resolve()}/handout.html")
        page.wait_for_timeout(1000)  # formulas
        margin = dict.fromkeys(("top", "bottom", "left", "right"), "15mm")
        paper = page.pdf(format="A4", margin=margin)
        browser.close()
    assert len(re.findall(rb"/Type /Page\b", paper)) == 1
