"""The report: written from a store alone, complete without a network, and clear about gaps."""

import re

import pytest

from hsr.paper import catalogue, report
from hsr.paper.ledger import claims
from hsr.paper.multiverse.runner import findings_in
from hsr.paper.results_page import MARKER, write_results_page
from hsr.paper.runner import result_of
from hsr.paper.store import Store
from tests.paper.experiment_runs import records, stored, tiny

NAME = "online_transfer"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that has a tiny version of one experiment only."""
    return stored(tmp_path_factory.mktemp("report") / "store", records(NAME).values())


@pytest.fixture(scope="module")
def page(store):
    """The report of the store."""
    folder = store.folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(catalogue.find(NAME).presets, "small", tiny(NAME))
        for name in catalogue.names():
            presets = catalogue.find(name).presets
            patch.setitem(presets, "small", presets.get("small", presets["smoke"]))
        one = report.write_report(store, "small", folder / "out").read_bytes()
        again = report.write_report(store, "small", folder / "again").read_bytes()
    assert one == again
    return one.decode("utf-8")


def test_every_claim_has_a_row_and_those_without_runs_say_so(page):
    rows = re.findall(r'<tr data-verdict="([a-z ]+)"><td><code>([a-z0-9-]+)</code>', page)
    assert [name for _, name in rows] == [claim.id for claim in claims()]
    words = {name: word for word, name in rows}
    assert words["theory-contraction"] == "no evidence"
    assert words["online-stability"] in {"reproduced", "not reproduced", "opposite"}


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
    assert re.search(r"correction|claimed|other way", row)
    assert re.search(r"\(Hedges&#39; g = .*, corrected p = .*, n = 3 \+ 3\)\.<details>", row)
    assert re.search(r'tuned step sizes: <span class="verdict', row)


def test_a_figure_comes_with_its_caption_settings_seeds_and_command(page):
    assert "<figcaption><b>a</b> The four rooms" in page
    assert (
        "40 runs, seeds 0-2, 1000-1001. "
        "Get it with <code>hsr run online_transfer --preset small</code>" in page
    )
    assert "&#34;controls&#34;: {\n  &#34;tuned step sizes&#34;" in page
    assert "&#34;numba&#34;" in page


def test_a_run_that_a_control_shares_is_read_once(store, monkeypatch):
    read, get = [], Store.get
    monkeypatch.setattr(Store, "get", lambda self, key: read.append(key) or get(self, key))
    result = result_of(catalogue.find(NAME), tiny(NAME), store)
    assert len(result.keys) == 40
    assert sorted(read) == sorted(store.keys())  # each of them, none twice


def test_no_file_is_read_to_see_that_no_search_is_stored(store, monkeypatch):
    monkeypatch.setattr(Store, "index", None)
    monkeypatch.setattr(Store, "get", None)
    assert findings_in(store, "smoke", without=frozenset(store.keys())) == []


def test_the_page_of_the_documentation_keeps_what_was_written_by_hand(store, tmp_path):
    path = tmp_path / "results.md"
    first = write_results_page(store, "smoke", path).read_text(encoding="utf-8")
    assert first.startswith(f"# What reproduces\n\n{MARKER}\n\n| claim | figure |")
    path.write_text(first.replace("# What reproduces", "# Mine\n\nBy hand."), encoding="utf-8")
    again = write_results_page(store, "smoke", path).read_text(encoding="utf-8")
    assert again == first.replace("# What reproduces", "# Mine\n\nBy hand.")
    for claim in claims():
        assert f"| `{claim.id}`: " in again
    assert again.count("Not run: `hsr run ") == len(catalogue.names())
