"""The report: written from a store alone, complete without a network, and clear about gaps."""

import re
from dataclasses import replace

import pytest

from hsr.experiments import catalogue, report
from hsr.experiments.holdings import ledger_of
from hsr.experiments.ledger import WORDS
from hsr.experiments.runner import ask, result_of
from hsr.experiments.store import Store, source_version
from tests.paper.experiment_runs import records, stored, tiny

NAME = "online_transfer"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that has a tiny version of one experiment only."""
    found = stored(tmp_path_factory.mktemp("report") / "store", records(NAME).values())
    ask(found, catalogue.find(NAME), tiny(NAME), "smoke")
    return found


@pytest.fixture(scope="module")
def page(store):
    """The report of the store."""
    folder = store.folder.parent
    one, again = (
        report.write_report(report.contents_of(store), folder / name).read_bytes()
        for name in ("out", "again")
    )
    assert one == again
    return one.decode("utf-8")


def test_claims_of_what_was_run_have_a_row_and_others_none(page):
    rows = re.findall(r'<tr data-verdict="([a-z ]+)"><td><code>([a-z0-9-]+)</code>', page)
    assert [name for _, name in rows] == [one.id for one in catalogue.find(NAME).claims]
    words = {name: word for word, name in rows}
    assert words["online-stability"] == "cannot tell"  # in four worlds


def test_pictures_are_inside_and_nothing_is_fetched(page):
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "http" not in page.replace("http-equiv", "")


def test_a_row_says_what_was_found_in_one_sentence_and_leads_to_its_figure(page):
    (row,) = re.findall(r"<tr[^>]*><td><code>online-stability</code>.*?</tr>", page, re.DOTALL)
    assert 'href="#online_transfer"' in row
    assert '<section id="online_transfer">' in page
    assert re.search(r"correction|claimed|other way|uncertain", row)
    assert re.search(
        r"\(Cohen&#39;s d_z = .*, corrected p = .*, 4 worlds x 3 seeds\)\.<details>", row
    )
    (row,) = re.findall(r"<code>online-stability</code>.*?(?=<tr data-verdict)", page, re.DOTALL)
    assert "<td>relative change of the map</td>" in row
    assert "<td>change of the map over its way from the start</td>" in row
    assert re.search(r'tuned step sizes: <span class="verdict', row)
    assert "at tuned rates and discounts: cannot tell; in slip 0.1: cannot tell" in row


def test_every_verdict_can_be_filtered(page):
    (shown,) = re.findall(r'<select id="filter">(.*?)</select>', page)
    assert re.findall(r"<option>(.*?)</option>", shown) == list(WORDS)
    assert ".cannot-tell {" in page


def test_the_report_of_four_worlds_begins_by_saying_that_it_is_no_evidence(page):
    before, banner, after = page.partition(
        "Nothing here is evidence. No test of 4 worlds can be significant: its smallest p-value is "
        "0.12. Use --preset paper."
    )
    assert banner
    assert "<table" not in before
    assert "<table" in after


def test_a_figure_comes_with_its_caption_settings_worlds_seeds_and_command(page, store):
    n = len(store)
    assert "<figcaption><b>a</b> The four rooms" in page
    assert (
        f"{n} runs, worlds 0-4, 3 seeds each. Made by: {n} runs by {source_version()}. "
        "Get it with <code>hsr run online_transfer --preset smoke --seeds 3 --set" in page
    )


def test_the_report_says_which_code_made_its_runs(page, store, tmp_path):
    assert f"computed from the runs in the store: {len(store)} runs by {source_version()}." in page
    assert ledger_of(store).source_version == {source_version(): len(store)}
    mixed, makers = Store(tmp_path / "mixed"), ("hsr 0.0.1, sources 0123456789ab", source_version())
    mixed.put_all(
        replace(one, source_version=makers[i % 2]) for i, one in enumerate(store.records())
    )
    ask(mixed, catalogue.find(NAME), tiny(NAME), "smoke")
    rows, counts, _ = ledger_of(mixed)
    assert counts == dict.fromkeys(makers, len(store) // 2)
    assert rows == ledger_of(store).rows


def test_a_run_that_a_control_shares_is_read_once(store, monkeypatch):
    read, get = [], Store.get
    monkeypatch.setattr(Store, "get", lambda self, key: read.append(key) or get(self, key))
    assert result_of(catalogue.find(NAME), tiny(NAME), store) is not None
    assert sorted(read) == store.keys()  # each of them, none twice
