"""The report: written from a store alone, complete without a network, and clear about gaps."""

import re

import pytest
from PIL import Image

from hsr.paper import catalogue, report
from hsr.paper.ledger import WORDS, claims
from hsr.paper.ledger_file import read_ledger
from hsr.paper.multiverse.runner import findings_in
from hsr.paper.results_page import MARKER, PAGE_MARKERS, README_MARKERS, write_results_page
from hsr.paper.runner import ledger_of, result_of
from hsr.paper.store import Store
from tests.paper.experiment_runs import records, stored, tiny

NAME = "online_transfer"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that has a tiny version of one experiment only."""
    return stored(tmp_path_factory.mktemp("report") / "store", records(NAME).values())


@pytest.fixture(scope="module")
def small():
    """A preset that is tiny for the experiment of the store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(catalogue.find(NAME).presets, "small", tiny(NAME))
        for name in catalogue.names():
            presets = catalogue.find(name).presets
            patch.setitem(presets, "small", presets.get("small", presets["smoke"]))
        yield


@pytest.fixture(scope="module")
def page(store, small):
    """The report of the store."""
    folder = store.folder.parent
    one = report.write_report(store, "small", folder / "out").read_bytes()
    again = report.write_report(store, "small", folder / "again").read_bytes()
    assert one == again
    return one.decode("utf-8")


def test_every_claim_has_a_row_and_those_without_runs_say_so(page):
    rows = re.findall(r'<tr data-verdict="([a-z ]+)"><td><code>([a-z0-9-]+)</code>', page)
    assert [name for _, name in rows] == [claim.id for claim in claims()]
    words = {name: word for word, name in rows}
    assert words["theory-contraction"] == "no evidence"
    assert words["online-stability"] == "cannot tell"  # in four worlds


def test_pictures_are_inside_and_nothing_is_fetched(page):
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "http" not in page.replace("http-equiv", "")


def test_missing_experiments_are_named_with_the_command_that_gets_them(page):
    assert "hsr run predictive_maps --preset small" in page
    assert page.count("Some of its runs are not in the store") == len(catalogue.names()) - 1


def test_a_row_says_what_was_found_in_one_sentence_and_leads_to_its_figure(page):
    (row,) = re.findall(r"<tr[^>]*><td><code>online-stability</code>.*?</tr>", page, re.DOTALL)
    assert 'href="#online_transfer"' in row
    assert '<section id="online_transfer">' in page
    assert re.search(r"correction|claimed|other way|uncertain", row)
    assert re.search(
        r"\(Cohen&#39;s d_z = .*, corrected p = .*, 4 worlds x 3 seeds\)\.<details>", row
    )
    assert re.search(r'tuned step sizes: <span class="verdict', row)
    assert re.search(
        r'<span class="verdict cannot-tell">cannot tell</span><br>cannot tell at the paper&#39;s '
        r"rate; at tuned rates: cannot tell; in slip 0.1: cannot tell; in slip 0.2: cannot tell",
        row,
    )
    assert re.search(r"<td>\d+%</td><td></td><td>\d+% / \d+%</td>", row)


def test_every_verdict_can_be_filtered(page):
    (shown,) = re.findall(r'<select id="filter">(.*?)</select>', page)
    assert re.findall(r"<option>(.*?)</option>", shown) == [*WORDS, "no evidence"]
    assert ".cannot-tell {" in page


def test_the_report_of_four_worlds_begins_by_saying_that_it_is_no_evidence(page):
    before, banner, after = page.partition(
        "Nothing here is evidence. No test of 4 worlds can be significant: its smallest p-value is "
        "0.12. Use --preset paper."
    )
    assert banner
    assert "<table" not in before
    assert "<table" in after


def test_a_figure_comes_with_its_caption_settings_worlds_seeds_and_command(page):
    assert "<figcaption><b>a</b> The four rooms" in page
    assert (
        "112 runs, worlds 0-3, 3 seeds each. "
        "Get it with <code>hsr run online_transfer --preset small</code>" in page
    )
    assert "&#34;controls&#34;: {\n  &#34;tuned step sizes&#34;" in page
    assert "&#34;numba&#34;" in page


def test_a_run_that_a_control_shares_is_read_once(store, monkeypatch):
    read, get = [], Store.get
    monkeypatch.setattr(Store, "get", lambda self, key: read.append(key) or get(self, key))
    result = result_of(catalogue.find(NAME), tiny(NAME), store)
    assert len(result.keys) == 112
    assert sorted(read) == sorted(store.keys())  # each of them, none twice


def test_no_file_is_read_to_see_that_no_search_is_stored(store, monkeypatch):
    monkeypatch.setattr(Store, "index", None)
    monkeypatch.setattr(Store, "get", None)
    assert findings_in(store, "smoke", without=frozenset(store.keys())) == []


def test_the_page_of_the_documentation_keeps_what_was_written_by_hand(store, tmp_path):
    path = tmp_path / "results.md"
    first = write_results_page(store, "smoke", path).read_text(encoding="utf-8")
    assert first.startswith(f"# What reproduces\n\n{MARKER}\n\n## What has no evidence\n\n- `")
    path.write_text(first.replace("# What reproduces", "# Mine\n\nBy hand."), encoding="utf-8")
    again = write_results_page(store, "smoke", path).read_text(encoding="utf-8")
    assert again == first.replace("# What reproduces", "# Mine\n\nBy hand.")
    for claim in claims():
        assert f"| `{claim.id}`: " in again
    assert again.count("Not run: `hsr run ") == len(catalogue.names())


def test_the_page_the_readme_and_the_ledger_next_to_them_say_the_same(small, store, tmp_path):
    path, readme = tmp_path / "results.md", tmp_path / "README.md"
    readme.write_text(" old ".join(("mine\n", *README_MARKERS, "\nmine\n")), encoding="utf-8")
    text = write_results_page(store, "small", path, readme).read_text(encoding="utf-8")
    rows = read_ledger(tmp_path / "results" / "ledger.json")
    assert [row | {"readings": None} for row in rows] == ledger_of(store, "small")
    by_ledger = text.partition(PAGE_MARKERS[0])[2].partition(PAGE_MARKERS[1])[0]
    for row in rows:
        if row["comparisons"]:
            assert row["sentence"] in by_ledger
            assert all(one["sentence"] in by_ledger for one in row["comparisons"])
    assert "112 runs, worlds 0-3, 3 seeds each: `hsr run online_transfer --preset small`" in text
    written = readme.read_text(encoding="utf-8")
    assert written.startswith("mine\n")
    assert written.endswith("\nmine\n")
    assert " old " not in written.partition(README_MARKERS[0])[2].partition(README_MARKERS[1])[0]
    assert "What cannot be told" in written
    with Image.open(tmp_path / "results" / "online_transfer.png") as picture:
        assert picture.mode == "P"
        assert picture.size[0] >= 160 * 10


def test_more_worlds_than_were_run_are_missing(small, store):
    words = {row["claim"]: row["verdict"] for row in ledger_of(store, "small", {"worlds": 5})}
    assert set(words.values()) == {"no evidence"}
    few = {row["claim"]: row for row in ledger_of(store, "small", {"worlds": 3})}
    assert few["online-stability"]["worlds"] == 3
