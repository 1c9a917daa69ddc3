"""What bases are made of, and spectra: their numbers, and verdicts on numbers made by hand."""

import itertools

import numpy as np
import pytest

from hsr import GridLayout, InputError, load_layout
from hsr.paper import catalogue
from hsr.paper.experiments.basis_mechanisms.analysis import Numbers as MechanismNumbers
from hsr.paper.experiments.basis_mechanisms.analysis import compare_fits, error_ratios
from hsr.paper.experiments.spectra.analysis import Numbers as SpectraNumbers
from hsr.paper.maps.walk import circular_walk
from hsr.paper.setting import changed
from hsr.paper.store import Record
from tests.paper.experiment_runs import (
    conditions,
    evidence,
    numbers,
    tiny,
    words,
    words_by_control,
)

MECHANISMS = "basis_mechanisms"
CONTROLS = {
    MECHANISMS: ["stopping states counted twice", "options win ties", "32 components"],
    "spectra": ["stopping states counted twice", "options win ties"],
}
each = pytest.mark.parametrize("name", CONTROLS)


@each
def test_a_reading_of_the_hsr_changes_the_conditions_of_the_hsr_only(name):
    usual = conditions(name, tiny(name))
    for control in CONTROLS[name][:2]:
        read = conditions(name, changed(tiny(name), catalogue.find(name).controls[control]))
        differ = {key for key, condition in read.items() if condition != usual[key]}
        assert differ == {key for key in usual if "HSR" in key}


@each
def test_some_checks_hold_and_some_do_not(name):
    checks = [
        one
        for of_control in numbers(name).values()
        for one in evidence(name, of_control)
        if one.comparison is None
    ]
    assert {one.holds for one in checks} == {True, False}


def test_with_other_components_only_the_walk_and_the_doors_change():
    usual, fewer = (numbers(MECHANISMS)[name] for name in ("", "32 components"))
    for name in usual.traces:
        assert (usual.traces[name].shape[1], fewer.traces[name].shape[1]) == (16, 32)
        assert usual.bottlenecks[name] != fewer.bottlenecks[name]
        np.testing.assert_array_equal(usual.errors[name], fewer.errors[name])
        np.testing.assert_array_equal(usual.fits[name], fewer.fits[name])


@pytest.mark.parametrize("scale", ["max", "unit_columns", "unit_rows"])
def test_errors_do_not_depend_on_how_features_are_scaled(scale):
    """Components undo a scale of columns; a scale of rows they cannot undo, and it is left out."""
    setting = changed(tiny(MECHANISMS), {"maps.scale": scale})
    condition = conditions(MECHANISMS, setting)["eSR-SVD"]
    (record,) = catalogue.find(MECHANISMS)(condition.data(), [0])
    usual = numbers(MECHANISMS)[""].errors["eSR-SVD"]
    np.testing.assert_allclose(record.arrays["error"], usual, rtol=1e-12)


def test_numbers_of_basis_mechanisms_have_their_shapes():
    found = numbers(MECHANISMS)[""]
    n = len(found.walk)
    assert {x.shape for x in found.traces.values()} == {(n, 16)}
    assert all(0.0 < x < 1.0 for x in found.sparsity.values())
    assert {x.shape for x in found.errors.values()} == {(2,)}
    assert {x.shape for x in found.fits.values()} == {(2, 2)}
    assert max(np.abs(x).max() for x in found.traces.values()) <= 1.0
    assert {x.shape for x in found.bottlenecks_by_size.values()} == {(2,)}
    assert list(found.error_ratios) == [2, 8]
    assert found.error_ratios[8] == found.errors["HSR-NMF"][1] / found.errors["eSR-SVD"][1]
    assert all(0.0 < e[1] < e[0] < 1.0 for e in found.errors.values())
    for of in ("eSR", "HSR"):  # no basis of that size does better than singular vectors
        assert (found.errors[f"{of}-SVD"] <= found.errors[f"{of}-NMF"] + 1e-12).all()


def test_goals_of_seeds_are_all_different():
    setting = changed(
        tiny(MECHANISMS),
        {"seeds": 104, "components": (1,), "judged": 1, "maps.n_components": 2},
    )
    experiment = catalogue.find(MECHANISMS)
    of_run, seeds = experiment.runs(setting)[0]
    goals = [int(record.arrays["goal"][0]) for record in experiment(of_run, seeds)]
    assert sorted(goals) == list(range(104))
    assert goals != sorted(goals)


def test_a_size_that_is_not_computed_cannot_be_judged():
    with pytest.raises(InputError, match="judged is 3"):
        changed(tiny(MECHANISMS), {"judged": 3})


def test_numbers_of_spectra_are_sorted_and_the_random_walk_has_its_known_eigenvalues():
    found = numbers("spectra")[""]
    assert {x.shape for x in found.eigenvalues.values()} == {(104,)}
    assert {x.shape for x in found.norms.values()} == {(16,)}
    assert all(
        (np.diff(x) <= 0.0).all() for x in (*found.eigenvalues.values(), *found.norms.values())
    )
    np.testing.assert_allclose(
        found.eigenvalues["RW-SR"][:4], [10.0, 9.50993, 9.42416, 8.87821], atol=1e-5
    )
    x = found.eigenvalues["eHSR"]
    np.testing.assert_allclose(found.eigenvalue_tails["eHSR"], 1.0 - x[:8].sum() / x.sum())


def test_the_walk_is_a_circle_of_single_moves_through_every_room_and_door():
    layout = load_layout("four_rooms")
    walk = circular_walk(layout)
    assert walk[0] == walk[-1]
    assert all(b in layout.neighbours[a] and a != b for a, b in itertools.pairwise(walk))
    assert set(layout.room_of[walk]) == {-1, 0, 1, 2, 3}
    assert set(layout.bottlenecks) <= set(walk.tolist())
    rooms = layout.room_of[walk]
    assert rooms[1:][(rooms[1:] >= 0) & (rooms[:-1] < 0)].tolist() == [1, 3, 2, 0]


@pytest.mark.parametrize("text", ["....\n....", "..#..\n.....\n..#.."])
def test_a_layout_without_a_closed_walk_is_refused(text):
    with pytest.raises(InputError, match="no closed walk"):
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
    assert set(words(MECHANISMS, mechanisms(**good)).values()) == {"reproduced"}
    bad = {
        "sparsity": good["sparsity"] | {"eSR-NMF": 0.95},
        "errors": good["errors"] | {"HSR-NMF": np.array([0.23, 0.0])},
        "fits": good["fits"] | {"HSR-NMF": good["fits"]["HSR-NMF"] - 0.1},
        "bottlenecks": good["bottlenecks"] | {"HSR-SVD": 2.0},
    }
    assert set(words(MECHANISMS, mechanisms(**bad)).values()) == {"not reproduced"}
    margins = {}
    for one in evidence(MECHANISMS, mechanisms(**bad)):
        margins[one.claim] = min(one.margin, margins.get(one.claim, np.inf))
    assert margins["mechanisms-sparse-trace"] == pytest.approx(0.9 - 0.95)
    assert margins["mechanisms-reconstruction"] == pytest.approx(1.1 - 0.23 / 0.2)
    assert margins["mechanisms-bottleneck"] == 0.0  # as active is not more active


def test_a_planted_tail_is_found():
    heavy = {"RW-SR": 0.2, "eSR": 0.3, "eHSR": 0.4}
    found = SpectraNumbers(8, {}, {}, heavy, heavy)
    assert words("spectra", found) == {"spectrum-tail": "reproduced"}
    margins = [one.margin for one in evidence("spectra", found)]
    assert margins == pytest.approx([0.2, 0.1, 0.2, 0.1])
    equal = SpectraNumbers(8, {}, {}, heavy, heavy | {"eSR": 0.4})
    assert words("spectra", equal) == {"spectrum-tail": "not reproduced"}


def test_a_tail_that_is_planted_under_a_control_is_judged_there_alone(tmp_path):
    twice, ties = CONTROLS["spectra"]
    leading = {"": 1.0, twice: 9.0, ties: 1.0}

    def records(control, variant):
        for name, condition in conditions("spectra", variant).items():
            values = np.ones(16)
            values[:8] = leading[control] if name == "eHSR" else 2.0
            yield Record("spectra", condition.data(), 0, {"eigenvalues": values, "norms": values})

    assert words_by_control(tmp_path, "spectra", tiny("spectra"), records) == {
        ("", "spectrum-tail"): "reproduced",
        (twice, "spectrum-tail"): "not reproduced",
        (ties, "spectrum-tail"): "reproduced",
    }


def test_bottlenecks_that_are_planted_under_a_control_are_judged_there_alone(tmp_path):
    level = dict(zip(["", *CONTROLS[MECHANISMS]], [1.0, 2.0, 1.0, 2.0], strict=True))
    walk = circular_walk(load_layout("four_rooms"))

    def records(control, variant):
        for name, condition in conditions(MECHANISMS, variant).items():
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
                yield Record(MECHANISMS, condition.data(), seed, own)

    found = words_by_control(tmp_path, MECHANISMS, tiny(MECHANISMS), records)
    assert [found[control, "mechanisms-bottleneck"] for control in level] == [
        "not reproduced", "reproduced", "not reproduced", "reproduced",
    ]  # fmt: skip
    assert {found[control, "mechanisms-sparse-trace"] for control in level} == {"reproduced"}
