"""What the results page, the README and the report say about a joint search, and in which order."""

import json
import re

import numpy as np
import pytest
from PIL import Image

from hsr.paper import report
from hsr.paper.ledger import claims
from hsr.paper.multiverse import runner
from hsr.paper.multiverse.figure import SYMBOLS, draw_joint
from hsr.paper.multiverse.joint_section import JointSection, joint_in_words
from hsr.paper.results_page import PAGE_MARKERS, README_MARKERS, summary_in, write_results_page
from hsr.paper.store import Record, Store
from hsr.plots import save_figure
from tests.paper.multiverse.made_up_joint import closest_column, made_up_joint

TITLE = "## One reading for the whole paper"
FOUND = made_up_joint()


def patched(patch, found):
    """Let every store have one joint search."""
    patch.setattr(report, "joint_in", lambda store, preset, without: found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a results page, a README and a report of a store that has a joint search."""
    folder = tmp_path_factory.mktemp("section")
    store, readme = Store(folder / "store"), folder / "README.md"
    readme.write_text("\n".join(README_MARKERS), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patched(patch, FOUND)
        write_results_page(store, "smoke", folder / "results.md", readme)
        report.write_report(store, "smoke", folder)
    return folder


@pytest.fixture(scope="module")
def section(folder):
    """The section of the page."""
    text = (folder / "results.md").read_text(encoding="utf-8")
    before, title, after = text.partition(TITLE)
    assert title
    assert PAGE_MARKERS[1] in before
    return after.partition("\n## ")[0]


@pytest.fixture(scope="module")
def html(folder):
    """The section of the report."""
    page = (folder / "report_smoke.html").read_text(encoding="utf-8")
    assert page.index("<table") < page.index('<section id="joint">')
    (found,) = re.findall(r'<section id="joint">(.*?)</section>', page, re.DOTALL)
    return found


def test_sizes_are_those_of_the_plan(section, html):
    for text in (section, html):
        for words in (
            "These 1,234 readings",
            "1,234 readings in 7 worlds with 3 seeds each, of which the best 11 went on; "
            "19 readings in 13 worlds with 1 seed each, of which the best 2 went on. Slow",
            "and the default, 3 in all, were judged in 29 fresh worlds with 2 seeds each "
            "(17 worlds for experiments about maps, 6 for slow experiments).",
            "within each world, 123 times",
        ):
            assert words in text


def test_the_section_says_how_then_what_then_shows_verdicts_changes_and_choices(section):
    parts = [
        "successive halving",
        *(f"\n- {sentence}\n" for sentence in joint_in_words(FOUND)),
        "](results/joint.png)",
        "Verdicts in fresh worlds: \u2713 reproduced, \u2013 not reproduced, ? cannot tell, "
        "\u21c4 opposite, \u00b7 no evidence.",
        "\n| claim | default | 1 | 2 | closest |\n|---|:-:|:-:|:-:|:-:|\n| `theory-contraction` |",
        "\n| reproduced | 5 | 10 | 9 | 15 |\n",
        "\n- 1: `signs=svd`, `map_rate=0.1`, `ties=options`\n- 2: ",
        "\n- closest: `explore_with=primitives`, `ties=options`\n",
        "| choice | what it decides | default | best word | variance explained |",
        "\n| `explore_with` | ",
        " | choices | primitives | 0.41 | 1.75 |\n| `ties` | ",
        " | 0.12 | 0.50 |\n| `learning_rate` | ",
    ]
    at = [section.index(part) for part in parts]
    assert at == sorted(at)
    assert "nmf_seed" not in section.partition("| choice |")[2]


def test_the_table_has_a_row_for_each_claim_with_the_verdict_of_each_reading(section, html):
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (\S) \| (\S) \| (\S) \| (\S) \|$", section, re.M)
    assert [claim for claim, *_ in rows] == [claim.id for claim in claims()]
    for claim, *symbols in rows:
        words = [one.words.get(claim, "no evidence") for one in (*FOUND.rows, FOUND.closest)]
        assert symbols == [SYMBOLS[word] for word in words]
        (row,) = re.findall(
            rf"<tr><td><code>{claim}</code></td>(.*?)</tr>", html.partition("<h3")[0]
        )
        assert re.findall(r'title="(.*?)"', row) == words


def test_the_report_has_the_same_sentences_changes_choices_and_a_picture(html):
    assert html.count("data:image/png;base64,") == 1
    assert [f"<li>{one}</li>" in html for one in joint_in_words(FOUND)] == [True] * 6
    assert (
        "<li>closest: <code>explore_with=primitives</code>, <code>ties=options</code></li>" in html
    )
    assert "<td>primitives</td><td>0.41</td><td>1.75</td>" in html
    assert "nmf_seed" not in html.partition("decide most verdicts")[2]


def test_the_closest_reading_is_written_next_to_the_ledger_and_read_back(folder):
    data = json.loads((folder / "results" / "closest.json").read_text(encoding="utf-8"))
    words = {claim.id: FOUND.closest.words.get(claim.id, "no evidence") for claim in claims()}
    assert data == {
        "claims": words,
        "changes": {"explore_with": "primitives", "ties": "options"},
        "searched": 1234,
        "chance": 0.333333,
    }
    summary = summary_in(folder / "results")
    assert summary.closest.claims == words
    held = [row["claim"] for row in summary.groups[summary.closest_title]]
    assert held == [claim for claim, word in words.items() if word == "reproduced"]
    page, readme = ((folder / name).read_text("utf-8") for name in ("results.md", "README.md"))
    assert closest_column(page) == words
    assert f"{summary.closest.sentence}\n" in page.partition(PAGE_MARKERS[1])[0]
    assert f"reproduces {len(held)} of {len(claims())} claims together" in page
    assert f"| {summary.closest_title} | {len(held)} | `{held[0]}`" in readme


def test_the_picture_is_sharp_and_has_a_palette(folder):
    with Image.open(folder / "results" / "joint.png") as picture:
        assert picture.mode == "P"
        assert picture.size[0] >= 160 * 10


def test_a_store_without_a_joint_search_has_no_section_and_no_closest_reading(
    folder, tmp_path, monkeypatch
):
    store = Store(tmp_path / "store")
    with monkeypatch.context() as patch:
        patched(patch, FOUND)
        with_it = write_results_page(store, "smoke", tmp_path / "results.md").read_text("utf-8")
    text = write_results_page(store, "smoke", tmp_path / "results.md").read_text("utf-8")
    assert TITLE in with_it
    assert TITLE not in text
    assert summary_in(tmp_path / "results").closest is None
    contents = report.contents_of(store, "smoke")
    page = report.write_contents(contents, tmp_path).read_text("utf-8")
    assert "One reading for the whole paper" not in page


def test_no_file_is_read_to_see_that_no_joint_search_is_stored(tmp_path, monkeypatch):
    store = Store(tmp_path / "store")
    store.put(Record("other", {}, 0, {"x": np.zeros(1)}))
    monkeypatch.setattr(Store, "index", None)
    monkeypatch.setattr(Store, "get", None)
    assert runner.joint_in(store, "smoke", without=frozenset(store.keys())) is None


def test_the_default_alone_and_no_effects_are_drawn_and_written(tmp_path):
    found = made_up_joint(0)
    vars(found).update(effects=())
    assert JointSection(found).labels == ["default", "closest"]
    assert JointSection(found).effects == []
    save_figure(draw_joint(found), tmp_path / "joint.png", dpi=40)


def test_what_was_not_reproduced_is_the_quietest_and_what_was_the_strongest():
    ax, bars = draw_joint(FOUND).axes
    image = ax.images[0]
    shown = np.asarray(image.get_array().filled(-1.0))
    colors = {}
    for i, claim in enumerate(FOUND.claims[:-1]):
        for j, row in enumerate(FOUND.columns.values()):
            colors[row.words[claim]] = np.array(image.cmap(image.norm(shown[i, j])))[:3]
    far = {word: np.linalg.norm(1.0 - color) for word, color in colors.items()}  # from white
    spread = {word: np.ptp(color) for word, color in colors.items()}
    assert min(far, key=far.get) == min(spread, key=spread.get) == "not reproduced"
    assert far["cannot tell"] < min(far["reproduced"], far["opposite"])
    assert (shown[-1] == -1.0).all()
    labels = [tick.get_text() for tick in ax.get_xticklabels()]
    assert labels == ["default\n5", "1\n10", "2\n9", "closest\n15"]
    assert next(tick.get_text() for tick in bars.get_yticklabels()) == "explore_with: primitives"
    assert [bar.get_width() for bar in bars.patches] == [0.41, 0.123, 0.05, 0.0]
