"""The report: written from a store alone, complete without a network, and clear about gaps."""

import copy
import re
from dataclasses import replace

import pytest

from hsr.experiments import report
from hsr.experiments.ledger import PAPER, WORDS
from hsr.experiments.panels import draw_statements
from hsr.experiments.runner import register, result_of, run_all
from hsr.experiments.store import Store, source_version
from hsr.experiments.stored import chosen_in, ledger_of
from tests.experiments import factors
from tests.experiments.made_up_ledger import made_up_rows

EXPERIMENT = factors.EXPERIMENT
SETTING = EXPERIMENT.setting("smoke", {"worlds": 4})


@pytest.fixture(scope="module", autouse=True)
def store(tmp_path_factory):
    """A store with one experiment, which is the only one of hsr."""
    with factors.as_built_in():
        found = Store(tmp_path_factory.mktemp("report") / "store")
        run_all([(EXPERIMENT, SETTING)], found, "smoke", workers=1)
        yield found


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


def test_every_statement_has_a_row_that_leads_to_its_figure(page):
    ((word, section, name),) = re.findall(
        r'<tr data-verdict="([a-z ]+)"><td><a href="#(\w+)"><code>([a-z0-9-]+)</code>', page
    )
    assert (word, section, name) == ("cannot tell", "factors", "faster")  # in four worlds
    assert f'<section id="{section}">' in page


def test_pictures_are_inside_and_nothing_is_fetched(page):
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "http" not in page.replace("http-equiv", "")


def test_every_verdict_can_be_filtered(page):
    (shown,) = re.findall(r'<select id="filter">(.*?)</select>', page)
    assert re.findall(r"<option>(.*?)</option>", shown) == list(WORDS)
    assert ".cannot-tell {" in page


def test_the_report_of_four_worlds_begins_by_saying_that_it_is_no_evidence(page):
    before, banner, after = page.partition("Nothing here is evidence.")
    assert banner
    assert "<table" not in before
    assert "<table" in after


def test_a_figure_comes_with_its_worlds_seeds_and_command(page, store):
    n = len(store)
    assert (
        f"{n} runs, worlds 0-3, 100, 2 seeds each. Made by: {n} runs by {source_version()}. "
        "Get it with <code>hsr run factors --preset smoke --worlds 4</code>." in page
    )


def test_the_report_says_which_code_made_its_runs(page, store, tmp_path):
    assert f"computed from the runs in the store: {len(store)} runs by {source_version()}." in page
    mixed, makers = Store(tmp_path / "mixed"), ("hsr 0.0.1, sources 0123456789ab", source_version())
    mixed.put_all(
        replace(one, source_version=makers[i % 2]) for i, one in enumerate(store.records())
    )
    number = register(mixed, EXPERIMENT, SETTING, "smoke")
    rows, counts = ledger_of(mixed, chosen_in(mixed, [number])[0])
    assert sorted(counts) == sorted(makers)
    assert rows == ledger_of(store, chosen_in(store)[0])[0]


def test_a_run_that_a_variant_shares_is_read_once(store, monkeypatch):
    read, get = [], Store.get_all

    def noted(self, keys):
        keys = list(keys)
        read.extend(keys)
        return get(self, keys)

    monkeypatch.setattr(Store, "get_all", noted)
    assert result_of(EXPERIMENT, SETTING, store) is not None
    assert sorted(read) == store.keys()  # each of them, none twice


def test_columns_that_were_not_asked_take_no_room_among_the_statements():
    rows = made_up_rows()
    alone = copy.deepcopy(rows)
    for statement in (one for row in alone for one in row["statements"]):
        statement["columns"] = {
            name: found for name, found in statement["columns"].items() if name == PAPER
        }
    tall, low = (draw_statements(some) for some in (rows, alone))
    statements = len(low.axes[0].texts)
    assert statements == len(tall.axes[0].texts)
    saved = tall.get_figheight() - low.get_figheight()
    assert saved == pytest.approx(0.2 + 3 * 0.11 * statements)  # a line of the legend, and 3 lanes
