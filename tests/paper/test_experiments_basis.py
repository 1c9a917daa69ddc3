"""What bases are made of, and spectra: their numbers, and verdicts on numbers made by hand."""

import itertools

import numpy as np
import pytest

import hsr
from hsr import GridLayout, InputError, load_layout
from hsr._base.declaration import changed
from hsr.experiments import catalogue
from hsr.experiments.store import Record
from hsr.paper.experiments.basis_mechanisms import BASES, goals_in
from hsr.paper.experiments.basis_mechanisms import Numbers as MechanismNumbers
from hsr.paper.experiments.spectra import Numbers as SpectraNumbers
from hsr.paper.experiments.spectra import tail
from hsr.paper.maps.walk import circular_walk
from hsr.paper.worlds import roomy_maze
from tests.paper.experiment_runs import (
    conditions,
    evidence,
    numbers,
    preset,
    table,
    tiny,
    words,
    words_by_control,
)

MECHANISMS = "basis_mechanisms"
each = pytest.mark.parametrize("name", [MECHANISMS, "spectra"])


@each
def test_a_reading_of_the_hsr_changes_the_conditions_of_the_hsr_only(name):
    usual = conditions(name, tiny(name))
    for control in ("stopping states counted twice", "options win ties"):
        read = conditions(name, changed(tiny(name), catalogue.find(name).controls[control]))
        differ = {key for key, condition in read.items() if condition != usual[key]}
        assert differ == {key for key in usual if "HSR" in key}


@each
def test_maps_without_options_are_the_same_in_every_world_and_under_every_option(name):
    """Their conditions have no options, so that readings of options share their runs."""
    other = changed(tiny(name), {"options.n_options": 4, "options.signs": "positive"})
    usual, read = conditions(name, tiny(name)), conditions(name, other)
    for key, condition in usual.items():
        assert (condition == read[key]) == ("HSR" not in key)
    rows = catalogue.find(name).rows(table(name, tiny(name)), tiny(name))
    array = "error" if name == MECHANISMS else "norms"
    for key, found in rows.items():
        if len(found) > 1:
            assert (np.ptp(found.array(array), axis=0).max() > 0.0) == ("HSR" in key)


def test_with_other_components_only_the_walk_and_the_doors_change():
    usual, fewer = (numbers(MECHANISMS)[name] for name in ("", "32 components"))
    for name in usual.traces:
        assert (usual.traces[name].shape[1], fewer.traces[name].shape[1]) == (16, 32)
        assert (usual.arrays["bottleneck"][name] != fewer.arrays["bottleneck"][name]).all()
        np.testing.assert_array_equal(usual.arrays["error"][name], fewer.arrays["error"][name])
        np.testing.assert_array_equal(usual.arrays["fit"][name], fewer.arrays["fit"][name])


@pytest.mark.parametrize("scale", ["max", "unit_columns", "unit_rows"])
def test_errors_do_not_depend_on_how_features_are_scaled(scale):
    """Components undo a scale of columns; a scale of rows they cannot undo, and it is left out."""
    setting = changed(tiny(MECHANISMS), {"maps.scale": scale})
    condition = conditions(MECHANISMS, setting)["eSR-SVD"]
    (record,) = catalogue.find(MECHANISMS)(condition.data(), [0])
    usual = numbers(MECHANISMS)[""].arrays["error"]["eSR-SVD"][0]
    np.testing.assert_allclose(record.arrays["error"], usual, rtol=1e-12)


def of_world(number):
    """Return the MDP, the options and the tasks of a world of the four rooms."""
    mdp = hsr.grid_mdp(load_layout("four_rooms"), discount=0.9)
    return mdp, hsr.eigenoptions(mdp, 8, signs="random", seed=number), hsr.goal_tasks(mdp)


@pytest.mark.parametrize("name", [MECHANISMS, "spectra", "predictive_maps"])
def test_each_world_is_a_maze_with_rooms_by_default(name):
    """The numbers of a world are those of a maze of its own; worlds 0 and 3 share a family."""
    experiment = catalogue.find(name)
    small = {"maps.n_components": 4, "maps.trained_on": "per_room", "worlds": 4}
    small |= {"components": (2,), "goals": 2} if name == MECHANISMS else {}
    setting = changed(preset(name, "smoke"), small)
    assert setting.mazes == preset(name).mazes == "families"
    array = {MECHANISMS: "error", "spectra": "eigenvalues", "predictive_maps": "dispersion"}[name]
    of_run = next(one for one, worlds in experiment.runs(setting) if len(worlds) == 4)
    found = [record.arrays[array] for record in experiment(of_run, [0, 1, 2, 3])]
    assert len({one.tobytes() for one in found}) == 4
    (again,) = experiment(of_run, [3])
    np.testing.assert_array_equal(again.arrays[array], found[3])
    layouts = [roomy_maze(hsr.grids.MazeSpec(), number).build()[0] for number in range(60)]
    assert len(set(layouts)) == 60
    for layout in layouts:
        assert sum(len(room) >= 4 for room in layout.rooms) >= 2
        assert len(layout.bottlenecks)


def test_numbers_of_a_world_are_those_of_a_basis_that_the_library_makes():
    """The last world, from the signs that its number draws."""
    mdp, options, tasks = of_world(2)
    M = hsr.expected_hsr(mdp, options, tasks).toarray()
    basis, found = hsr.NMFBasis(8).fit(M), numbers(MECHANISMS)[""]
    error = hsr.basis.reconstruction_error(M, basis) / np.square(M).mean()
    assert found.arrays["error"]["HSR-NMF"][2, 1] == pytest.approx(error, rel=1e-9)
    runs = table(MECHANISMS, tiny(MECHANISMS))
    record = [one for one in runs if one.setting["part"] == "numbers"][2]
    assert record.seed == 2
    for k, goal in enumerate(record.arrays["goals"].tolist()):
        v = hsr.optimal_value(mdp, hsr.GoalTask(None, goal))
        fit = hsr.basis.value_fit_r2(basis, v, intercept=True)
        assert found.arrays["fit"]["HSR-NMF"][2, k, 1] == pytest.approx(fit, rel=1e-9)
    shown = hsr.basis.hoyer_sparsity(found.traces["HSR-NMF"], "states").mean()
    assert found.arrays["sparsity"]["HSR-NMF"][0] == pytest.approx(shown, rel=1e-12)


def test_goals_of_a_world_are_all_different_and_the_same_for_every_basis():
    setting = changed(
        tiny(MECHANISMS),
        {"goals": 104, "components": (1,), "maps.n_components": 2, "worlds": 2},
    )
    of_world = [goals_in(conditions(MECHANISMS, setting)["eSR-SVD"], k).tolist() for k in (0, 1)]
    for goals in of_world:
        assert sorted(goals) == list(range(104))
        assert goals != sorted(goals)
    assert of_world[0] != of_world[1]
    rows = catalogue.find(MECHANISMS).rows(table(MECHANISMS, tiny(MECHANISMS)), tiny(MECHANISMS))
    drawn = [rows[name].array("goals") for name in BASES]
    assert all((one == drawn[0]).all() for one in drawn)


def test_numbers_of_spectra_are_sorted_and_the_random_walk_has_its_known_eigenvalues():
    found = numbers("spectra")[""]
    assert {x.shape for x in found.eigenvalues.values()} == {(3, 64)}
    assert {x.shape for x in found.norms.values()} == {(3, 16)}
    assert all(
        (np.diff(x) <= 0.0).all() for x in (*found.eigenvalues.values(), *found.norms.values())
    )
    known = [10.0, 9.50993, 9.42416, 8.87821]
    np.testing.assert_allclose(found.eigenvalues["RW-SR"][:, :4], [known] * 3, atol=1e-5)
    x, found_tail = found.eigenvalues["eHSR"][1], tail("eigenvalues", found, "eHSR").values
    assert found_tail.shape == (3, 1)
    trace = np.linalg.eigvals(hsr.expected_hsr(*of_world(1)).toarray())
    np.testing.assert_allclose(found_tail[1, 0], 1.0 - x[:8].sum() / np.abs(trace).sum())


def test_the_walk_is_a_circle_of_single_moves_through_every_room_and_door():
    layout = load_layout("four_rooms")
    walk = circular_walk(layout)
    assert walk[0] == walk[-1]
    assert all(b in layout.neighbours[a] and a != b for a, b in itertools.pairwise(walk))
    assert set(layout.room_of[walk]) == {-1, 0, 1, 2, 3}
    assert set(layout.bottlenecks) <= set(walk.tolist())
    rooms = layout.room_of[walk]
    assert rooms[1:][(rooms[1:] >= 0) & (rooms[:-1] < 0)].tolist() == [1, 3, 2, 0]


@pytest.mark.filterwarnings("ignore::hsr.HSRWarning")
@pytest.mark.parametrize("text", ["....\n....", "..#..\n..#..\n..#.."])
def test_a_layout_without_a_closed_walk_is_refused(text):
    with pytest.raises(InputError, match="no closed walk"):
        circular_walk(GridLayout.from_text(text))


@pytest.mark.parametrize("text", ["..#..\n.....\n..#..", "..#..#..\n........\n..#..#.."])
def test_a_walk_through_rooms_that_form_no_ring_leads_there_and_back(text):
    layout = GridLayout.from_text(text)
    walk = circular_walk(layout)
    assert walk[0] == walk[-1]
    assert all(b in layout.neighbours[a] and a != b for a, b in itertools.pairwise(walk))
    assert set(layout.room_of[walk]) == {-1, *range(len(layout.rooms))}


def mechanisms(sparsity, errors, fits, bottlenecks):
    """Return numbers of Figure 4 made by hand; only what claims are judged by is real."""
    arrays = {"sparsity": sparsity, "error": errors, "fit": fits, "bottleneck": bottlenecks}
    layout = load_layout("four_rooms")
    return MechanismNumbers(layout, np.arange(3), np.array([32, 104]), {}, arrays)


def test_planted_properties_of_bases_are_found():
    rng = np.random.default_rng(2)
    names, n = ("eSR-SVD", "eSR-NMF", "HSR-SVD", "HSR-NMF"), 200
    fit = 0.8 + 0.1 * rng.random((n, 5, 2))
    low, high = (level + 0.01 * rng.random(n) for level in (0.5, 0.9))
    error = np.column_stack([0.2 + 0.001 * rng.random(n), np.zeros(n)])
    good = {
        "sparsity": {name: high if name == "HSR-NMF" else low for name in names},
        "errors": {name: error * 1.05 if name == "HSR-NMF" else error for name in names},
        "fits": {name: fit + 0.01 * rng.normal(size=fit.shape) for name in names},
        "bottlenecks": {name: high if name == "HSR-NMF" else low for name in names},
    }
    assert set(words(MECHANISMS, mechanisms(**good)).values()) == {"reproduced"}
    bad = {
        "sparsity": good["sparsity"] | {"eSR-NMF": high + 0.05},
        "errors": good["errors"] | {"HSR-NMF": error * 1.15},
        "fits": good["fits"] | {"HSR-NMF": good["fits"]["HSR-NMF"] - 0.1},
        "bottlenecks": good["bottlenecks"] | {"HSR-SVD": high},  # as active is not more active
    }
    found = {}
    for one in evidence(MECHANISMS, mechanisms(**bad)):
        found.setdefault(one.claim, []).append(one)
    assert words(MECHANISMS, mechanisms(**bad)) == {
        "mechanisms-sparse-trace": "not reproduced",
        "mechanisms-reconstruction": "opposite",
        "mechanisms-value-r2": "not reproduced",
        "mechanisms-bottleneck": "not reproduced",
    }
    sparser = [one.comparison.difference for one in found["mechanisms-sparse-trace"]]
    assert sparser[1] == pytest.approx(-0.05)
    (errors,) = found["mechanisms-reconstruction"]  # with all components there is nothing to judge
    assert errors.comparison.difference == pytest.approx((1.1 - 1.15) * error[:, 0].mean())
    assert errors.worlds.other_way == 1.0
    equal = found["mechanisms-bottleneck"][2]
    assert (equal.comparison.difference, equal.worlds.undecided) == (0.0, 1.0)
    fits = found["mechanisms-value-r2"][0]
    assert (fits.worlds.worlds, fits.worlds.seeds) == (n, 5)
    assert fits.comparison.n == (n,)
    assert fits.worlds.test == "paired_t"


def test_parity_of_fits_is_over_worlds_and_not_over_goals():
    """Many goals in few worlds that disagree show no parity."""
    rng = np.random.default_rng(5)
    names, n = ("eSR-SVD", "eSR-NMF", "HSR-SVD", "HSR-NMF"), 6
    flat = {name: np.ones(n) for name in names}
    fits = {name: 0.8 + 0.001 * rng.normal(size=(n, 500, 2)) for name in names}
    fits["HSR-NMF"] += 0.1 * np.array([1, -1, 1, -1, 1, -1])[:, None, None]
    found = mechanisms(flat, {name: np.ones((n, 2)) for name in names}, fits, flat)
    assert words(MECHANISMS, found)["mechanisms-value-r2"] == "cannot tell"
    single = [one for one in evidence(MECHANISMS, found) if one.claim == "mechanisms-value-r2"]
    assert {one.worlds.as_claimed for one in single} == {0.0}


def spectra(eigenvalues, norms, n_worlds=12):
    """Return numbers of Figure S5 with given tails after eight values, and a little noise."""
    rng = np.random.default_rng(3)

    def values(tails):
        found = {}
        for name, mean in tails.items():
            share = mean + 0.001 * rng.normal(size=(n_worlds, 1))
            found[name] = np.concatenate([np.repeat(1 - share, 8, 1) / 8, share], axis=1)
        return found

    both = values(eigenvalues), values(norms)
    totals = {name: np.ones((n_worlds, 2)) for name in both[0]}
    return SpectraNumbers(8, *both, totals)


def test_a_planted_tail_is_found():
    heavy = {"RW-SR": 0.2, "eSR": 0.3, "eHSR": 0.4}
    found = spectra(heavy, heavy)
    assert words("spectra", found) == {"spectrum-tail": "reproduced"}
    compared = [one.comparison.difference for one in evidence("spectra", found)]
    assert compared == pytest.approx([0.2, 0.1, 0.2, 0.1], abs=0.002)
    lighter = spectra(heavy, heavy | {"eSR": 0.45})
    assert words("spectra", lighter) == {"spectrum-tail": "not reproduced"}
    lightest = {"RW-SR": 0.4, "eSR": 0.3, "eHSR": 0.2}
    assert words("spectra", spectra(lightest, lightest)) == {"spectrum-tail": "opposite"}


def test_a_tail_that_is_planted_under_a_control_is_judged_there_alone(tmp_path):
    twice, ties, alone = catalogue.find("spectra").controls
    leading = {"": 1.0, twice: 9.0, ties: 1.0, alone: 1.0}
    setting = changed(tiny("spectra"), {"worlds": 8})

    def records(control, variant):
        for name, condition in conditions("spectra", variant).items():
            values = np.ones(16)
            for world in range(8):
                values[:8] = (leading[control] if name == "eHSR" else 2.0) + 0.01 * world
                totals = np.full(2, values.sum())
                arrays = {"eigenvalues": values.copy(), "norms": values.copy(), "totals": totals}
                yield Record("spectra", condition.data(), world, arrays)

    assert words_by_control(tmp_path, "spectra", setting, records) == {
        ("", "spectrum-tail"): "reproduced",
        (twice, "spectrum-tail"): "opposite",
        (ties, "spectrum-tail"): "reproduced",
        (alone, "spectrum-tail"): "reproduced",
    }
