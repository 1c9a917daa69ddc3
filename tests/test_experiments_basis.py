"""The experiments about bases, GPI and spectra: they run, and what they say of hand-made numbers is right."""

import itertools
from dataclasses import replace
from importlib import import_module
from io import BytesIO

import numpy as np
import pytest
from pydantic import ValidationError

from hsr import GridLayout, load_layout
from hsr._base.errors import InputError
from hsr.experiments.basis_mechanisms.analysis import Numbers as MechanismNumbers
from hsr.experiments.basis_mechanisms.walk import circular_walk
from hsr.experiments.basis_transfer.analysis import Numbers as TransferNumbers
from hsr.experiments.gpi.analysis import Numbers as GPINumbers
from hsr.experiments.ledger import verdicts
from hsr.experiments.setting import changed
from hsr.experiments.spectra.analysis import Numbers as SpectraNumbers
from hsr.results import ResultTable

SMALL = {
    "basis_transfer": {"seeds": 2, "episodes": 5, "horizon": 300, "n_components": 12, "control": 4},
    "gpi": {"seeds": 2, "episodes": 5, "horizon": 500},
    "basis_mechanisms": {"seeds": 2, "components": (2, 8), "judged": 8},
    "spectra": {},
}
CLAIMS = {
    "basis_transfer": {"basis-sr-svd-over-nmf": 2, "basis-hsr-nmf-best": 4, "basis-hsr-rows-over-svd": 2},
    "gpi": {"gpi-parity": 1, "gpi-complementary": 2},
    "basis_mechanisms": {
        "mechanisms-sparse-trace": 3,
        "mechanisms-reconstruction": 2,
        "mechanisms-value-r2": 2,
        "mechanisms-bottleneck": 3,
    },
    "spectra": {"spectrum-tail": 4},
}
NAMES = list(SMALL)
MADE: dict = {}


def part(name, which):
    return import_module(f"hsr.experiments.{name}.{which}")


def small(name):
    return changed(part(name, "settings").PRESETS["smoke"], SMALL[name])


def numbers_of(name):
    """Return the numbers of a small run, made once."""
    if name not in MADE:
        settings = part(name, "settings")
        work = part(name, "run").run
        records = [record for _, cell, seeds in settings.runs(small(name)) for record in work(cell, seeds)]
        MADE[name] = part(name, "analysis").analyse(ResultTable(records), small(name))
    return MADE[name]


def words(evidence):
    return {verdict.claim: verdict.word for verdict in verdicts(evidence)}


@pytest.mark.parametrize("name", NAMES)
def test_evidence_for_each_claim_is_found_and_finite(name):
    found = part(name, "analysis").evidence(numbers_of(name))
    counts = {claim: sum(one.claim == claim for one in found) for claim in CLAIMS[name]}
    assert counts == CLAIMS[name]
    assert len(found) == sum(counts.values())
    tested = [one.comparison for one in found if one.comparison is not None]
    assert all(np.isfinite([c.p, c.effect, c.difference]).all() for c in tested)


@pytest.mark.parametrize("name", NAMES)
def test_the_figure_is_drawn_to_the_same_bytes(name):
    pictures = []
    for _ in range(2):
        file = BytesIO()
        part(name, "figure").draw_figure(numbers_of(name)).savefig(file, format="png", dpi=40, metadata={"Software": None})
        pictures.append(file.getvalue())
    assert pictures[0] == pictures[1]
    assert len(pictures[0]) > 5000


@pytest.mark.parametrize("name", NAMES)
def test_presets_come_back_from_their_text_and_refuse_what_they_do_not_know(name):
    settings = part(name, "settings")
    for preset in settings.PRESETS.values():
        assert type(preset).model_validate_json(preset.model_dump_json()) == preset
        for cell in settings.cells(preset).values():
            assert type(cell).model_validate_json(cell.model_dump_json()) == cell
    paper = settings.PRESETS["paper"]
    with pytest.raises(ValidationError):
        type(paper).model_validate({"seedz": 3})
    with pytest.raises(InputError, match="world"):
        changed(paper, {"wordl.slip": 0.1})


@pytest.mark.parametrize("name", NAMES)
def test_no_run_is_listed_twice_and_work_names_the_function_that_runs_it(name):
    settings = part(name, "settings")
    listed = [repr(cell) for _, cell, _ in settings.runs(settings.PRESETS["paper"])]
    assert len(set(listed)) == len(listed)
    module, function = settings.WORK.split(":")
    assert getattr(import_module(module), function) is part(name, "run").run


@pytest.mark.parametrize("name", NAMES)
def test_a_reading_of_the_hsr_changes_the_cells_of_the_hsr_only(name):
    settings = part(name, "settings")
    usual = settings.cells(small(name))
    read = settings.cells(changed(small(name), {"ties": "options"}))
    differ = {key for key, cell in read.items() if cell != usual[key]}
    assert differ == {key for key in usual if "HSR" in key}


def test_presets_hold_the_numbers_of_the_paper():
    basis = part("basis_transfer", "settings").PRESETS["paper"]
    assert (basis.goal, basis.episodes, basis.horizon, basis.seeds, basis.options.n_options) == (1, 200, 1000, 20, 8)
    assert basis.n_components is None
    assert basis.control == 32
    assert basis.factor == 1.5
    gpi = part("gpi", "settings").PRESETS["paper"]
    assert (gpi.goal, gpi.episodes, gpi.horizon, gpi.seeds, gpi.agent.gpi) == (2, 50, 5000, 10, "found")
    assert [cell.agent.gpi for cell in part("gpi", "settings").cells(gpi).values()] == 3 * ["none"] + 3 * ["found"]


def test_numbers_of_basis_transfer_have_their_shapes():
    numbers = numbers_of("basis_transfer")
    assert len(numbers.steps) == 10
    assert len(numbers.control_episodes) == 6
    assert {x.shape for x in numbers.steps.values()} == {(2, 5)}
    assert {x.shape for x in (*numbers.episodes.values(), *numbers.mean_steps.values())} == {(2,)}
    assert numbers.optimal == 10
    assert numbers.n_components == 12


def test_the_criterion_can_be_made_easier():
    settings, work = part("basis_transfer", "settings"), part("basis_transfer", "run").run
    easy = changed(small("basis_transfer"), {"factor": 1000.0})
    records = [record for _, cell, seeds in settings.runs(easy) for record in work(cell, seeds)]
    numbers = part("basis_transfer", "analysis").analyse(ResultTable(records), easy)
    assert all((n == 1).all() for n in numbers.episodes.values())


def test_numbers_of_gpi_have_their_shapes_and_agents_share_the_first_episode():
    numbers = numbers_of("gpi")
    assert {x.shape for x in numbers.steps.values()} == {(2, 5)}
    assert numbers.optimal == 18
    first = [x[:, 0].tolist() for x in numbers.steps.values()]
    assert all(steps == first[0] for steps in first)


def test_numbers_of_basis_mechanisms_have_their_shapes():
    numbers = numbers_of("basis_mechanisms")
    n = len(numbers.walk)
    assert {x.shape for x in numbers.traces.values()} == {(n, 16)}
    assert {x.shape for x in numbers.sparsity.values()} == {(n,)}
    assert {x.shape for x in numbers.errors.values()} == {(2,)}
    assert {x.shape for x in numbers.fits.values()} == {(2, 2)}
    assert max(np.abs(x).max() for x in numbers.traces.values()) <= 1.0
    assert set(numbers.bottlenecks_twice) == {"HSR-SVD", "HSR-NMF"}
    assert all(0.0 < e[1] < e[0] < 1.0 for e in numbers.errors.values())
    for of in ("eSR", "HSR"):
        assert (numbers.errors[f"{of}-SVD"] <= numbers.errors[f"{of}-NMF"] + 1e-12).all()  # no basis of that size does better


def test_goals_of_seeds_are_all_different():
    setting = changed(small("basis_mechanisms"), {"seeds": 104, "components": (1,), "judged": 1, "n_components": 2})
    _, cell, seeds = next(part("basis_mechanisms", "settings").runs(setting))
    goals = [int(record.arrays["goal"][0]) for record in part("basis_mechanisms", "run").run(cell, seeds)]
    assert sorted(goals) == list(range(104))
    assert goals != sorted(goals)


def test_a_size_that_is_not_computed_cannot_be_judged():
    with pytest.raises(InputError, match="judged is 3"):
        changed(small("basis_mechanisms"), {"judged": 3})


def test_numbers_of_spectra_are_sorted_and_the_random_walk_has_its_known_eigenvalues():
    numbers = numbers_of("spectra")
    assert {x.shape for x in numbers.eigenvalues.values()} == {(104,)}
    assert {x.shape for x in numbers.norms.values()} == {(16,)}
    assert all((np.diff(x) <= 0.0).all() for x in (*numbers.eigenvalues.values(), *numbers.norms.values()))
    np.testing.assert_allclose(numbers.eigenvalues["RW-SR"][:4], [10.0, 9.50993, 9.42416, 8.87821], atol=1e-5)
    x = numbers.eigenvalues["eHSR"]
    np.testing.assert_allclose(numbers.eigenvalue_tails["eHSR"], 1.0 - x[:8].sum() / x.sum())


def test_the_walk_is_a_circle_of_single_moves_through_every_room_and_door():
    layout = load_layout("four_rooms")
    walk = circular_walk(layout)
    assert walk[0] == walk[-1]
    assert all(b in layout.neighbours[a] and a != b for a, b in itertools.pairwise(walk))
    assert set(layout.room_of[walk]) == {-1, 0, 1, 2, 3}
    assert set(layout.bottlenecks) <= set(walk.tolist())
    rooms = layout.room_of[walk]
    visits = [int(room) for room, before in zip(rooms[1:], rooms[:-1], strict=True) if room >= 0 and before < 0]
    assert visits == [1, 3, 2, 0]


@pytest.mark.parametrize("text", ["....\n....", "..#..\n.....\n..#.."])
def test_a_map_without_a_circle_of_rooms_is_refused(text):
    with pytest.raises(InputError, match="no circle"):
        circular_walk(GridLayout.from_text(text))


def transfer_numbers(episodes):
    return TransferNumbers(10, 104, 32, 1.5, {}, episodes, {}, {}, {}, {})


def test_planted_effects_of_bases_are_found():
    rng = np.random.default_rng(0)
    level = {"RW-SR rows": 90, "eSR rows": 80, "eHSR rows": 40, "RW-SR SVD": 60, "eSR SVD": 60, "eHSR SVD": 60}
    level |= {"RW-SR NMF": 90, "eSR NMF": 90, "eHSR NMF": 20}
    episodes = {name: mean + rng.integers(0, 10, 20) for name, mean in level.items()}
    evidence = part("basis_transfer", "analysis").evidence
    assert set(words(evidence(transfer_numbers(episodes))).values()) == {"reproduced"}
    turned = {name: 200 - n for name, n in episodes.items()}
    assert set(words(evidence(transfer_numbers(turned))).values()) == {"opposite"}
    level_field = dict.fromkeys(episodes, np.full(20, 200))
    assert set(words(evidence(transfer_numbers(level_field))).values()) == {"not reproduced"}


def test_planted_effects_of_policies_are_found():
    rng = np.random.default_rng(1)

    def numbers(q, gpi, n=40):
        levels = {"Q HSR rows": q, "Q HSR-NMF": q, "GPI one-hot": q, "GPI HSR rows": gpi, "GPI HSR-NMF": gpi}
        noise = rng.normal(0.0, 3.0, n)
        return GPINumbers(load_layout("four_rooms"), 0, 18, {}, {name: level + noise for name, level in levels.items()}, {})

    evidence = part("gpi", "analysis").evidence
    assert words(evidence(numbers(40.0, 20.0))) == {"gpi-parity": "reproduced", "gpi-complementary": "reproduced"}
    assert words(evidence(numbers(20.0, 40.0)))["gpi-complementary"] == "opposite"
    assert words(evidence(numbers(30.0, 30.0)))["gpi-complementary"] == "not reproduced"
    assert words(evidence(numbers(40.0, 20.0, n=10)))["gpi-parity"] == "not reproduced"  # ten seeds cannot show parity


def test_planted_properties_of_bases_are_found():
    rng = np.random.default_rng(2)
    names = ("eSR-SVD", "eSR-NMF", "HSR-SVD", "HSR-NMF")
    fit = 0.8 + 0.1 * rng.random((40, 1))
    good = MechanismNumbers(
        layout=load_layout("four_rooms"),
        walk=np.arange(3),
        rooms=np.zeros(3, dtype=int),
        components=np.array([32, 104]),
        judged=32,
        traces={name: np.ones((3, 2)) for name in names},
        sparsity={name: np.full(3, 0.9 if name == "HSR-NMF" else 0.5) for name in names},
        errors={name: np.array([0.21 if name == "HSR-NMF" else 0.2, 1e-3 if name == "HSR-NMF" else 0.0]) for name in names},
        fits={name: np.hstack([fit + 0.01 * rng.normal(size=(40, 1)), fit]) for name in names},
        bottlenecks={name: 2.0 if name == "HSR-NMF" else 1.0 for name in names},
        bottlenecks_by_size={},
        bottlenecks_twice={},
        bottlenecks_twice_by_size={},
    )
    evidence = part("basis_mechanisms", "analysis").evidence
    assert set(words(evidence(good)).values()) == {"reproduced"}
    bad = replace(
        good,
        sparsity=good.sparsity | {"eSR-NMF": np.full(3, 0.95)},
        errors=good.errors | {"HSR-NMF": np.array([0.23, 0.0])},
        fits=good.fits | {"HSR-NMF": good.fits["HSR-NMF"] - 0.1},
        bottlenecks=good.bottlenecks | {"HSR-SVD": 2.0},
    )
    assert set(words(evidence(bad)).values()) == {"not reproduced"}


def test_a_planted_tail_is_found():
    evidence = part("spectra", "analysis").evidence
    heavy = {"RW-SR": 0.2, "eSR": 0.3, "eHSR": 0.4}
    assert words(evidence(SpectraNumbers(8, {}, {}, heavy, heavy))) == {"spectrum-tail": "reproduced"}
    assert words(evidence(SpectraNumbers(8, {}, {}, heavy, heavy | {"eSR": 0.4}))) == {"spectrum-tail": "not reproduced"}
