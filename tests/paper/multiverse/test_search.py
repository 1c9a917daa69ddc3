"""The search over readings: what it tries, narrows down, confirms, and reads from a store."""

import zlib

import numpy as np
import pytest

from hsr import InputError
from hsr.paper.engine import Summary
from hsr.paper.ledger import Evidence, claims
from hsr.paper.multiverse import run as work
from hsr.paper.multiverse import runner
from hsr.paper.multiverse.compared import arrays_of, read_compared
from hsr.paper.multiverse.evaluating import (
    FIRST_FRESH_WORLD,
    Worlds,
    bundles,
    evaluation_of,
)
from hsr.paper.multiverse.figure import draw_curve, draw_heat
from hsr.paper.multiverse.reading import Reading, read_reading
from hsr.paper.multiverse.report_section import (
    ReadingsSection,
    in_brief,
    turned_by,
    what_matters,
)
from hsr.paper.multiverse.search import SearchPlan, claims_by_experiment, search
from hsr.paper.report import write_report
from hsr.paper.results_page import write_results_page
from hsr.paper.stats import compare_over_worlds
from hsr.paper.store import Record, Store
from hsr.plots import save_figure

CLAIM = "online-stability"
TAIL = {"claims": ("spectrum-tail",), "preset": "smoke"}  # of a tiny search


class Planted:
    """Gives planted evidence, and remembers what it was asked for."""

    def __init__(self, shift_of):
        self.shift_of, self.asked = shift_of, []

    def __call__(self, evaluations):
        self.asked += evaluations
        return {one: self.evidence(one) for one in evaluations}

    def evidence(self, one):
        rng = np.random.default_rng([zlib.crc32(one.reading.name.encode()), one.where.first])
        noise = rng.standard_normal((2, max(one.where.worlds, 2), 1))
        compared = compare_over_worlds(noise[0] + self.shift_of(one.reading), noise[1])
        names = [claim.id for claim in claims() if claim.experiment == one.experiment]
        return [Evidence(name, "", +1, compared) for name in names]


def both(reading):
    """Two changes together plant an effect, either alone does not."""
    return 3.0 if reading.signs == "both" and reading.initial_map == "zero" else 0.0


def test_two_changes_that_turn_a_verdict_only_together_are_found_without_a_third():
    get = Planted(both)
    (finding,) = search(SearchPlan(claims=(CLAIM,), budget=60, confirm=2), get)
    assert finding.outcomes[0].word != "reproduced"
    assert finding.turns.reading == Reading(signs="both", initial_map="zero")
    tried = [one.reading for one in get.asked if one.where.first == 0]
    assert len(tried) == len(set(tried)) > 60  # narrowed down beyond the design, nothing twice
    assert len(finding.outcomes) == 60  # but only the design is counted


def test_candidates_are_confirmed_in_fresh_worlds_with_the_fewest_changes_first():
    get = Planted(both)
    plan = SearchPlan(claims=(CLAIM,), budget=90, worlds=12, seeds=3, confirm=4)
    (finding,) = search(plan, get)
    fresh = [one for one in get.asked if one.where.first]
    assert {one.where for one in fresh} == {Worlds(12, 3, FIRST_FRESH_WORLD)}
    assert list(finding.confirmed) == [one.reading for one in fresh]
    held = [reading for reading, holds in finding.confirmed.items() if holds]
    assert held
    assert all(both(reading) for reading in held)
    changes = [len(one.reading.changes) for one in fresh]
    assert changes == sorted(changes)
    assert len(finding.candidates) > len(fresh) == 4


def test_what_worlds_found_by_chance_is_not_confirmed():
    """Nothing is planted; the few readings that seem to reproduce the claim do not hold."""
    (finding,) = search(SearchPlan(claims=(CLAIM,), budget=200, confirm=20), Planted(lambda _: 0.0))
    assert len(finding.candidates) > 0
    assert not any(finding.confirmed.values())


def test_claims_are_grouped_by_experiment_and_unknown_ones_are_named():
    assert claims_by_experiment(SearchPlan(claims=("mazes", CLAIM, "online-value-r2"))) == {
        "mazes": ["mazes"],
        "online_transfer": [CLAIM, "online-value-r2"],
    }
    assert sum(map(len, claims_by_experiment(SearchPlan()).values())) == len(claims())
    with pytest.raises(InputError, match="online-stability"):
        claims_by_experiment(SearchPlan(claims=("online-stabilty",)))


def numbers_of(reading, where):
    """Return the means of a reading of a tiny online experiment, by comparison."""
    one = evaluation_of("online_transfer", "smoke", reading, where)
    ((bundle, _),) = bundles([one])
    records = list(work.run(bundle.data(), list(bundle.blocks)))
    return [part.means for record in records for part in read_compared(record.arrays)[0]]


def test_a_reading_changes_what_is_run_and_worlds_begin_where_they_are_told():
    """Other worlds and another reading give other numbers, and the same ones the same."""
    default = numbers_of(Reading(), Worlds(2, 1))
    np.testing.assert_array_equal(numbers_of(Reading(), Worlds(2, 1)), default)
    for other in (
        numbers_of(Reading(), Worlds(2, 1, 50)),
        numbers_of(Reading(signs="both"), Worlds(2, 1)),
    ):
        assert all((one != two).any() for one, two in zip(other, default, strict=True))


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A search over the readings of a tiny experiment, run on the engine into a store."""
    store = Store(tmp_path_factory.mktemp("search") / "store")
    plan = SearchPlan(**TAIL, budget=16, worlds=2, seeds=2, confirm=1)
    return store, plan, runner.run_search(plan, store, workers=2)


def test_a_search_is_read_back_from_its_store(searched):
    store, plan, (finding,) = searched
    assert runner.plans_in(store, "smoke") == [plan]
    assert runner.plans_in(store, "paper") == []
    (again,) = runner.findings_in(store, "smoke")
    assert str(again) == str(finding)  # in words, because what is not a number equals nothing


def test_a_search_of_a_claim_that_is_gone_is_left_out(searched, monkeypatch):
    store, _, _ = searched
    kept = [claim for claim in runner.claims() if claim.id != "spectrum-tail"]
    assert len(kept) + 1 == len(runner.claims())
    monkeypatch.setattr(runner, "claims", lambda: kept)
    monkeypatch.setattr("hsr.paper.multiverse.search.claims", lambda: kept)
    assert runner.findings_in(store, "smoke") == []


def test_a_search_that_is_in_the_store_is_not_run_again(searched, monkeypatch):
    store, plan, _ = searched
    monkeypatch.setattr(work, "records_of", None)
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    before = len(store.index())
    runner.run_search(plan, store, workers=1)
    assert len(store.index()) == before


def test_a_preset_that_does_not_exist_is_refused_before_any_work(store):
    plan = SearchPlan(**TAIL | {"preset": "papers"}, budget=2)
    with pytest.raises(InputError, match="no preset 'papers'; did you mean paper"):
        runner.run_search(plan, store, workers=1)
    assert not list(store.folder.rglob("*.run"))


def test_a_search_that_fails_says_so_and_goes_on_from_there(store, monkeypatch):
    plan = SearchPlan(**TAIL, budget=4, worlds=2, confirm=0)
    with monkeypatch.context() as patch:
        patch.setattr(runner, "WORK", "hsr.paper.multiverse.run:missing")
        with pytest.raises(runner.Stopped, match="4 bundles of readings failed"):
            runner.run_search(plan, store, workers=1)
    assert runner.plans_in(store, "smoke") == []
    assert len(runner.run_search(plan, store, workers=1)) == 1


def test_both_reports_name_every_claim_and_draw_to_the_same_bytes(searched, tmp_path):
    store, _, findings = searched
    page, again = (
        write_report(store, "smoke", tmp_path / name).read_text(encoding="utf-8") for name in "ab"
    )
    assert page == again
    assert page.count("data:image/png;base64,") == 1 + len(findings)
    text = write_results_page(store, "smoke", tmp_path / "results.md").read_text(encoding="utf-8")
    section = ReadingsSection(findings)
    for one in findings:
        for words in (one.claim, in_brief(one), turned_by(one), what_matters(one)):
            assert words in text
            assert words in page
        assert (tmp_path / "results" / f"curve_{one.claim}.png").stat().st_size > 5000
        assert f"(results/curve_{one.claim}.png)" in text
    assert section.choices
    for name, choice in section.choices.items():
        assert f"- `{name}`: {choice.about}; {', '.join(choice.words)}\n" in text
        assert f"<li><code>{name}</code>: {choice.about}; " in page


def test_figures_of_a_search_are_stable(tmp_path):
    findings = search(SearchPlan(claims=(CLAIM,), budget=60), Planted(both))
    choices = list(ReadingsSection(findings).choices)
    for draw in (lambda: draw_curve(findings[0]), lambda: draw_heat(findings, choices)):
        one, other = (
            save_figure(draw(), tmp_path / f"{name}.png", dpi=40).read_bytes() for name in "ab"
        )
        assert one == other


def test_of_several_searches_each_claim_has_that_with_the_largest_budget(store):
    for claims_of_plan, budget in ((("spectrum-tail", "maps-options"), 2), (("spectrum-tail",), 3)):
        plan = SearchPlan(claims=claims_of_plan, preset="smoke", budget=budget, worlds=2, confirm=0)
        runner.run_search(plan, store, workers=1)
    found = runner.findings_in(store, "smoke")
    assert {one.claim: len(one.outcomes) for one in found} == {
        "maps-options": 2,
        "spectrum-tail": 3,
    }


def exact(names, holds):
    """Return what stands for `engine.run`: checks that hold where they are planted, put into the
    store.
    """

    def run(jobs, store, **how):
        for job in jobs:
            found = [
                [
                    Evidence(name, "", 0, None, holds=holds(name, read_reading(text)), margin=0.0)
                    for name in names
                ]
                for text in job.setting["readings"]
            ]
            store.put(Record(job.experiment, job.setting, job.seeds[0], arrays_of(found)))
        return Summary(done=len(jobs), skipped=0, failed=(), seconds=0.0, interrupted=False)

    return run


def test_a_claim_is_read_back_as_it_was_found_when_another_of_its_search_was_searched_further(
    store, monkeypatch
):
    """Claims of one experiment are narrowed down together: what is tried next for one depends on
    what was tried for another.
    """
    other = "online-value-r2"
    two = Reading(crossing="last", episodes="200")
    turned_by = {CLAIM: [two], other: [two, Reading(update="chosen", explore_with="primitives")]}

    def holds(name, reading):
        return any(one.changes.items() <= reading.changes.items() for one in turned_by[name])

    monkeypatch.setattr(runner.engine, "run", exact([CLAIM, other], holds))
    monkeypatch.setattr("hsr.paper.multiverse.findings.N_RESAMPLES", 2)
    few = {"worlds": 2, "confirm": 2}
    _, of_other = runner.run_search(SearchPlan(claims=(CLAIM, other), budget=40, **few), store)
    (further,) = runner.run_search(SearchPlan(claims=(CLAIM,), budget=41, **few), store)
    found = {one.claim: one for one in runner.findings_in(store, "paper")}
    for one in (further, of_other):
        assert str(found[one.claim].outcomes) == str(one.outcomes)
        assert found[one.claim].turns.reading == one.turns.reading
        assert found[one.claim].confirmed == one.confirmed


def test_where_nothing_is_left_to_chance_nothing_is_confirmed(monkeypatch):
    monkeypatch.setattr("hsr.paper.multiverse.search.has_worlds", lambda *_: False)
    get = Planted(lambda _: 3.0)
    (finding,) = search(SearchPlan(claims=("spectrum-tail",), budget=5), get)
    assert {one.where.first for one in get.asked} == {0}
    assert (finding.worlds, finding.confirmed) == (1, {})
    assert in_brief(finding) == "5 of 5 readings reproduce it (nothing is random)"
