"""The experiments about what bases are made of and about spectra: they run, and what they say of
hand-made numbers is right.
"""

import itertools
from importlib import import_module
from io import BytesIO

import numpy as np
import pytest
from pydantic import ValidationError

from hsr import GridLayout, load_layout
from hsr._base.errors import InputError
from hsr.paper import catalogue
from hsr.paper import runner as conduct
from hsr.paper.experiments.basis_mechanisms.analysis import Numbers as MechanismNumbers
from hsr.paper.experiments.basis_mechanisms.analysis import compare_fits, error_ratios
from hsr.paper.experiments.basis_mechanisms.walk import circular_walk
from hsr.paper.experiments.spectra.analysis import Numbers as SpectraNumbers
from hsr.paper.ledger import verdicts
from hsr.paper.setting import changed
from hsr.paper.store import Record, Store
from tests.paper import transfer_runs
from tests.paper.captions import explained_in, letters_of
from tests.paper.transfer_runs import draw, part

SMALL = {
    "basis_mechanisms": {"seeds": 2, "components": (2, 8), "judged": 8},
    "spectra": {},
}
CLAIMS = {
    "basis_mechanisms": {
        "mechanisms-sparse-trace": 3,
        "mechanisms-reconstruction": 2,
        "mechanisms-value-r2": 2,
        "mechanisms-bottleneck": 3,
    },
    "spectra": {"spectrum-tail": 4},
}
CONTROLS = {
    "basis_mechanisms": ["stopping states counted twice", "options win ties", "32 components"],
    "spectra": ["stopping states counted twice", "options win ties"],
}
NAMES = list(SMALL)
MADE: dict = {}


def small(name):
    return changed(part(name, "settings").PRESETS["smoke"], SMALL[name])


def numbers_of(name, control=""):
    """Return the numbers of a small run, or of one of its controls; made once."""
    return made(name)[control]


def made(name):
    if name not in MADE:
        MADE[name] = transfer_runs.numbers_of(name, small(name))
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
        draw(name, made(name)).savefig(file, format="png", dpi=40, metadata={"Software": None})
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
    assert list(made(name)) == ["", *CONTROLS[name]]
    for control in CONTROLS[name][:2]:
        read = settings.cells(changed(small(name), settings.CONTROLS[control]))
        differ = {key for key, cell in read.items() if cell != usual[key]}
        assert differ == {key for key in usual if "HSR" in key}


@pytest.mark.parametrize("name", NAMES)
def test_the_caption_names_every_panel_that_is_drawn(name):
    assert sorted(letters_of(draw(name, made(name)))) == explained_in(part(name, "figure").CAPTION)


@pytest.mark.parametrize("name", NAMES)
def test_margins_have_the_sign_of_the_check(name):
    checks = [
        one
        for of in made(name).values()
        for one in part(name, "analysis").evidence(of)
        if one.comparison is None
    ]
    assert {one.holds for one in checks} == {True, False}
    for one in checks:
        assert np.isfinite(one.margin)
        assert one.margin != 0.0
        assert (one.margin > 0.0) == one.holds


def test_with_other_components_only_the_walk_and_the_doors_change():
    usual, fewer = numbers_of("basis_mechanisms"), numbers_of("basis_mechanisms", "32 components")
    for name in usual.traces:
        assert (usual.traces[name].shape[1], fewer.traces[name].shape[1]) == (16, 32)
        assert usual.bottlenecks[name] != fewer.bottlenecks[name]
        np.testing.assert_array_equal(usual.errors[name], fewer.errors[name])
        np.testing.assert_array_equal(usual.fits[name], fewer.fits[name])


@pytest.mark.parametrize("scale", ["max", "unit_columns", "unit_rows"])
def test_errors_do_not_depend_on_how_features_are_scaled(scale):
    """Components undo a scale of columns; a scale of rows they cannot undo, and it is left out."""
    settings, work = part("basis_mechanisms", "settings"), part("basis_mechanisms", "run").run
    cell = settings.cells(changed(small("basis_mechanisms"), {"maps.scale": scale}))["eSR-SVD"]
    (record,) = work(cell.model_dump(mode="json"), [0])
    np.testing.assert_allclose(
        record.arrays["error"], numbers_of("basis_mechanisms").errors["eSR-SVD"], rtol=1e-12
    )


def test_numbers_of_basis_mechanisms_have_their_shapes():
    numbers = numbers_of("basis_mechanisms")
    n = len(numbers.walk)
    assert {x.shape for x in numbers.traces.values()} == {(n, 16)}
    assert all(0.0 < x < 1.0 for x in numbers.sparsity.values())
    assert {x.shape for x in numbers.errors.values()} == {(2,)}
    assert {x.shape for x in numbers.fits.values()} == {(2, 2)}
    assert max(np.abs(x).max() for x in numbers.traces.values()) <= 1.0
    assert {x.shape for x in numbers.bottlenecks_by_size.values()} == {(2,)}
    assert list(numbers.error_ratios) == [2, 8]
    assert numbers.error_ratios[8] == numbers.errors["HSR-NMF"][1] / numbers.errors["eSR-SVD"][1]
    assert all(0.0 < e[1] < e[0] < 1.0 for e in numbers.errors.values())
    for of in ("eSR", "HSR"):
        assert (
            numbers.errors[f"{of}-SVD"] <= numbers.errors[f"{of}-NMF"] + 1e-12
        ).all()  # no basis of that size does better


def test_goals_of_seeds_are_all_different():
    setting = changed(
        small("basis_mechanisms"),
        {"seeds": 104, "components": (1,), "judged": 1, "maps.n_components": 2},
    )
    _, cell, seeds = next(part("basis_mechanisms", "settings").runs(setting))
    goals = [
        int(record.arrays["goal"][0]) for record in part("basis_mechanisms", "run").run(cell, seeds)
    ]
    assert sorted(goals) == list(range(104))
    assert goals != sorted(goals)


def test_a_size_that_is_not_computed_cannot_be_judged():
    with pytest.raises(InputError, match="judged is 3"):
        changed(small("basis_mechanisms"), {"judged": 3})


def test_numbers_of_spectra_are_sorted_and_the_random_walk_has_its_known_eigenvalues():
    numbers = numbers_of("spectra")
    assert {x.shape for x in numbers.eigenvalues.values()} == {(104,)}
    assert {x.shape for x in numbers.norms.values()} == {(16,)}
    assert all(
        (np.diff(x) <= 0.0).all() for x in (*numbers.eigenvalues.values(), *numbers.norms.values())
    )
    np.testing.assert_allclose(
        numbers.eigenvalues["RW-SR"][:4], [10.0, 9.50993, 9.42416, 8.87821], atol=1e-5
    )
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
    visits = [
        int(room)
        for room, before in zip(rooms[1:], rooms[:-1], strict=True)
        if room >= 0 and before < 0
    ]
    assert visits == [1, 3, 2, 0]


@pytest.mark.parametrize("text", ["....\n....", "..#..\n.....\n..#.."])
def test_a_map_without_a_circle_of_rooms_is_refused(text):
    with pytest.raises(InputError, match="no circle"):
        circular_walk(GridLayout.from_text(text))


def mechanisms(sparsity, errors, fits, bottlenecks):
    """Return numbers of Figure 4 made by hand; only what claims are judged by is real."""
    components = np.array([32, 104])
    return MechanismNumbers(
        layout=load_layout("four_rooms"),
        walk=np.arange(3),
        rooms=np.zeros(3, dtype=int),
        components=components,
        judged=32,
        traces={name: np.ones((3, 2)) for name in sparsity},
        sparsity=sparsity,
        errors=errors,
        error_ratios=error_ratios(errors, components, 104),
        fits=fits,
        fits_compared=compare_fits(fits, 0),
        bottlenecks=bottlenecks,
        bottlenecks_by_size={},
    )


def test_planted_properties_of_bases_are_found():
    rng = np.random.default_rng(2)
    names = ("eSR-SVD", "eSR-NMF", "HSR-SVD", "HSR-NMF")
    fit = 0.8 + 0.1 * rng.random((40, 1))
    good = {
        "sparsity": {name: 0.9 if name == "HSR-NMF" else 0.5 for name in names},
        "errors": {
            name: np.array([0.21, 1e-3] if name == "HSR-NMF" else [0.2, 0.0]) for name in names
        },
        "fits": {name: np.hstack([fit + 0.01 * rng.normal(size=(40, 1)), fit]) for name in names},
        "bottlenecks": {name: 2.0 if name == "HSR-NMF" else 1.0 for name in names},
    }
    evidence = part("basis_mechanisms", "analysis").evidence
    assert set(words(evidence(mechanisms(**good))).values()) == {"reproduced"}
    bad = {
        "sparsity": good["sparsity"] | {"eSR-NMF": 0.95},
        "errors": good["errors"] | {"HSR-NMF": np.array([0.23, 0.0])},
        "fits": good["fits"] | {"HSR-NMF": good["fits"]["HSR-NMF"] - 0.1},
        "bottlenecks": good["bottlenecks"] | {"HSR-SVD": 2.0},
    }
    found = evidence(mechanisms(**bad))
    assert set(words(found).values()) == {"not reproduced"}
    margins = {
        one.claim: min(other.margin for other in found if other.claim == one.claim) for one in found
    }
    assert margins["mechanisms-sparse-trace"] == pytest.approx(0.9 - 0.95)
    assert margins["mechanisms-reconstruction"] == pytest.approx(1.1 - 0.23 / 0.2)
    assert margins["mechanisms-bottleneck"] == 0.0  # as active is not more active


def test_a_planted_tail_is_found():
    evidence = part("spectra", "analysis").evidence
    heavy = {"RW-SR": 0.2, "eSR": 0.3, "eHSR": 0.4}
    found = evidence(SpectraNumbers(8, {}, {}, heavy, heavy))
    assert words(found) == {"spectrum-tail": "reproduced"}
    assert [one.margin for one in found] == pytest.approx([0.2, 0.1, 0.2, 0.1])
    assert words(evidence(SpectraNumbers(8, {}, {}, heavy, heavy | {"eSR": 0.4}))) == {
        "spectrum-tail": "not reproduced"
    }


def words_by_control(folder, name, records_of):
    """Return the verdict on each claim by control, of made-up runs; what a control shares with the
    ledger is the ledger's.
    """
    store, experiment, stored = Store(folder), catalogue.find(name), {}
    for control, variant in experiment.with_controls(small(name)).items():
        made_up = records_of(control, part(name, "settings").cells(variant))
        stored |= {record.key: record for record in made_up if record.key not in stored}
    for record in stored.values():
        store.put(record)
    shown = conduct.shown(experiment, small(name), store)
    return {(verdict.control, verdict.claim): verdict.word for verdict in verdicts(shown.evidence)}


def test_a_tail_that_is_planted_under_a_control_is_judged_there_alone(tmp_path):
    twice, ties = CONTROLS["spectra"]
    leading = {"": 1.0, twice: 9.0, ties: 1.0}

    def records(control, cells):
        for name, cell in cells.items():
            values = np.ones(16)
            values[:8] = leading[control] if name == "eHSR" else 2.0
            yield Record(
                "spectra", cell.model_dump(mode="json"), 0, {"eigenvalues": values, "norms": values}
            )

    assert words_by_control(tmp_path, "spectra", records) == {
        ("", "spectrum-tail"): "reproduced",
        (twice, "spectrum-tail"): "not reproduced",
        (ties, "spectrum-tail"): "reproduced",
    }


def test_bottlenecks_that_are_planted_under_a_control_are_judged_there_alone(tmp_path):
    level = dict(zip(["", *CONTROLS["basis_mechanisms"]], [1.0, 2.0, 1.0, 2.0], strict=True))
    walk = circular_walk(load_layout("four_rooms"))

    def records(control, cells):
        for name, cell in cells.items():
            arrays = {
                "walk": walk,
                "trace": np.ones((len(walk), 2)),
                "sparsity": np.full(len(walk), 0.9 if name == "HSR-NMF" else 0.5),
                "error": np.array([0.5, 0.2]),
                "bottleneck": np.array([level[control] if name == "HSR-NMF" else 1.5]),
                "bottleneck_by_size": np.ones(2),
            }
            for seed in range(2):
                own = arrays | {"goal": np.array([seed]), "fit": np.array([0.5, 0.8 + 0.01 * seed])}
                yield Record("basis_mechanisms", cell.model_dump(mode="json"), seed, own)

    found = words_by_control(tmp_path, "basis_mechanisms", records)
    assert [found[control, "mechanisms-bottleneck"] for control in level] == [
        "not reproduced", "reproduced", "not reproduced", "reproduced",
    ]  # fmt: skip
    assert {found[control, "mechanisms-sparse-trace"] for control in level} == {"reproduced"}
