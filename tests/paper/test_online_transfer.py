"""Figure 2a-h: runs, numbers, evidence and picture."""

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper import runner as conduct
from hsr.paper.experiments.online_transfer import analysis, figure, run
from hsr.paper.experiments.online_transfer.settings import NAME, OnlineTransfer, cells, runs
from hsr.paper.setting import changed
from hsr.paper.store import Record, ResultTable, Store
from hsr.plots import save_figure
from tests.paper.transfer_runs import draw, letters_in, letters_of, numbers_of

SMALL = OnlineTransfer(seeds=3, episodes=6, horizon=200, rates=(0.01, 0.1), tuning_seeds=2)


@pytest.fixture(scope="module")
def table():
    """The runs of a small setting."""
    return ResultTable(record for _, cell, seeds in runs(SMALL) for record in run.run(cell, seeds))


@pytest.fixture(scope="module")
def numbers():
    """The numbers of a small setting and of its control."""
    return numbers_of(NAME, SMALL)


@pytest.mark.parametrize("control", ["", "tuned step sizes"])
def test_the_numbers_have_their_shapes_and_are_finite(numbers, control):
    numbers = numbers[control]
    assert numbers.learned.optimal == (10, 18)
    assert {name: x.shape for name, x in numbers.learned.steps.items()} == dict.fromkeys(
        cells(SMALL), (3, 2, 6)
    )
    assert {name: x.shape for name, x in numbers.maps.items()} == dict.fromkeys(
        analysis.LIVE, (2, 104, 104)
    )
    for x in [*numbers.efficiency.values(), *numbers.change.values(), *numbers.fits.values()]:
        assert np.isfinite(x).all()
    assert all(
        fit[:, :, -1] == pytest.approx(1.0) for fit in numbers.fits.values()
    )  # all components span everything
    claims = {one.claim for one in analysis.evidence(numbers)}
    assert claims == {
        "online-faster-than-raw", "online-rw-degrades", "online-transfer-efficiency", "online-stability", "online-value-r2",
    }  # fmt: skip


def test_the_figure_is_the_same_bytes_when_drawn_again(numbers, tmp_path):
    one, other = (
        save_figure(draw(NAME, numbers), tmp_path / f"{k}.png", dpi=40).read_bytes() for k in "ab"
    )
    assert one == other
    assert len(one) > 10_000


def test_the_caption_explains_each_letter_that_is_drawn(numbers):
    letters = letters_of(draw(NAME, numbers))
    assert len(set(letters)) == len(letters)
    assert sorted(letters) == letters_in(figure.CAPTION)


def planted(gain):
    """Return records in which HSR rows need `gain` episodes less than the others in G2, and their
    map changes less.
    """
    rng = np.random.default_rng(1)
    setting, records = OnlineTransfer(seeds=12, episodes=40), []
    for name, (cell,) in cells(setting).items():
        for seed in range(12):
            slow = np.array([20, 30 - gain * (name == "HSR rows")]) + rng.integers(-2, 3, 2)
            arrays = {"steps": np.where(np.arange(40) < 1, 16 + 20 * slow[:, None], 10)}
            if cell.keep_maps:
                change = 0.3 if name == "SR rows" else 0.3 - 0.25 * (gain > 0)
                M = np.eye(104)
                arrays["maps"] = np.stack([M, M * (1.0 + np.sqrt(change) + 0.01 * rng.random())])
            records.append(Record(NAME, cell.model_dump(mode="json"), seed, arrays))
    return ResultTable(records), setting


@pytest.mark.parametrize("gain", [0, 15])
def test_a_planted_effect_is_found_and_a_planted_nothing_is_not(gain):
    found = {one.claim: one for one in analysis.evidence(analysis.analyse(*planted(gain)))}
    efficiency, stability = (
        found["online-transfer-efficiency"].comparison,
        found["online-stability"].comparison,
    )
    assert (efficiency.p < 0.01) == (gain > 0)
    assert (stability.p < 0.01) == (gain > 0)
    assert gain == 0 or (efficiency.effect > 1 and stability.effect > 1)


def test_the_maps_are_those_of_the_runs_at_the_chosen_rate():
    """Planted: agents are faster at 0.1, where their maps double from G1 to G2; at 0.01 they stay."""
    setting, records = changed(SMALL, {"step_size": "tuned"}), []
    for _, of_run, seeds in runs(setting):
        fast = of_run["agent"]["learning_rate"] == 0.1
        arrays = {"steps": np.full((2, 6), 10 if fast else 90)}
        if of_run["keep_maps"]:
            arrays["maps"] = np.stack([np.eye(104), (1.0 + fast) * np.eye(104)])
        records += [Record(NAME, of_run, seed, arrays) for seed in seeds]
    numbers = analysis.analyse(ResultTable(records), setting)
    assert set(numbers.change) == set(analysis.LIVE)
    assert all(x.tolist() == [1.0, 1.0, 1.0] for x in numbers.change.values())


def test_a_store_gives_the_table_only_when_it_is_whole(table, tmp_path):
    experiment, store = catalogue.find(NAME), Store(tmp_path)
    records = list(table)
    for record in records[:-1]:
        store.put(record)
    assert conduct.table_of(experiment, SMALL, store) is None
    store.put(records[-1])
    assert conduct.table_of(experiment, SMALL, store).digest() == table.digest()
    assert conduct.shown(experiment, SMALL, store) is None  # its control has runs of its own
    todo = conduct.expected_cost(conduct.jobs_of(experiment, SMALL), store)
    assert (todo["runs"], todo["there"]) == (
        4 * 3 + 2 * 4 * 2,
        12,
    )  # the other rate, and two goals to tune by at both
    more = conduct.expected_cost(
        conduct.jobs_of(experiment, SMALL.model_copy(update={"seeds": 5})), store
    )
    assert more["runs"] == todo["runs"] + 2 * 4 * 2
    assert more["bytes"] > 0
