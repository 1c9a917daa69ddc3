"""What bases are made of, and spectra: their numbers, and statements on numbers made by hand."""

import itertools

import numpy as np
import pytest

import hsr
from hsr import GridLayout, InputError, load_layout
from hsr.experiments import catalogue
from hsr.experiments.contrast import evidence_of
from hsr.experiments.store import ResultTable
from hsr.paper.experiments.basis_mechanisms import BASES, MEASURES
from hsr.paper.experiments.basis_mechanisms import Numbers as MechanismNumbers
from hsr.paper.experiments.spectra import SPECTRA
from hsr.paper.experiments.spectra import Numbers as SpectraNumbers
from hsr.paper.maps.measures import effective_rank
from hsr.paper.maps.walk import circular_walk
from hsr.paper.worlds import roomy_maze

SMALL = {
    "basis_mechanisms": {"worlds": 3, "components": (2, 8), "maps.n_components": 16},
    "spectra": {"worlds": 3, "maps.n_components": 16},
}


def analysed(name, **changes):
    """Return the numbers of a small setting with some fields changed."""
    experiment = catalogue.find(name)
    setting = experiment.setting("smoke", {"first_world": 0} | SMALL[name] | changes)
    runs = (one for of, worlds in experiment.runs(setting) for one in experiment(of, worlds))
    return experiment.analyse(ResultTable(runs), setting)


@pytest.fixture(scope="module")
def mechanisms():
    return analysed("basis_mechanisms")


def differences(name, numbers):
    """Return the mean difference of each statement, by its words."""
    found = evidence_of(catalogue.find(name).contrasts(numbers))
    return {one.statement: one.comparison.difference for one in found}


def of_world(number):
    """Return the MDP, the options and the tasks of a world of the four rooms."""
    mdp = hsr.grid_mdp(load_layout("four_rooms"), discount=0.9)
    return mdp, hsr.eigenoptions(mdp, 8, signs="random", seed=number), hsr.goal_tasks(mdp)


def test_mazes_of_families_have_rooms_and_doors():
    layouts = [roomy_maze(hsr.grids.MazeSpec(), number).build()[0] for number in range(60)]
    assert len(set(layouts)) == 60
    for layout in layouts:
        assert sum(len(room) >= 4 for room in layout.rooms) >= 2
        assert len(layout.bottlenecks)


def test_numbers_of_a_world_are_those_of_a_basis_that_the_library_makes(mechanisms):
    """The last world, from the signs that its number draws; R2 is the mean over every goal."""
    mdp, options, tasks = of_world(2)
    M = hsr.expected_hsr(mdp, options, tasks).toarray()
    basis, measured = hsr.NMFBasis(8).fit(M), mechanisms.measured
    error = hsr.basis.reconstruction_error(M, basis) / np.square(M).mean()
    assert measured["error"][2, 3, 1] == pytest.approx(error, rel=1e-9)
    fits = [
        hsr.basis.value_fit_r2(basis, hsr.optimal_value(mdp, task), intercept=True)
        for task in tasks
    ]
    assert measured["fit"][2, 3, 1] == pytest.approx(np.mean(fits), rel=1e-9)
    shown = hsr.basis.hoyer_sparsity(mechanisms.traces[3], "states").mean()
    assert measured["sparsity"][0, 3] == pytest.approx(shown, rel=1e-12)


def test_with_other_components_only_the_walk_and_the_doors_change(mechanisms):
    fewer = analysed("basis_mechanisms", **{"maps.n_components": 4})
    assert (mechanisms.traces.shape[2], fewer.traces.shape[2]) == (16, 4)
    for name in MEASURES:
        same = np.array_equal(mechanisms.measured[name], fewer.measured[name])
        assert same == (name in ("error", "fit"))


@pytest.mark.parametrize("scale", ["max", "unit_rows"])
def test_errors_and_fits_are_those_of_unscaled_features(mechanisms, scale):
    scaled = analysed("basis_mechanisms", **{"maps.scale": scale})
    for name in ("error", "fit"):
        np.testing.assert_array_equal(mechanisms.measured[name], scaled.measured[name])
    assert (mechanisms.measured["bottleneck"] != scaled.measured["bottleneck"]).any()


def test_numbers_of_spectra_are_sorted_and_the_random_walk_has_its_known_eigenvalues():
    found = analysed("spectra")
    assert {kind: x.shape for kind, x in found.spectra.items()} == {
        "eigenvalues": (3, 104),
        "norms": (3, 16),
    }
    assert all((np.diff(x, axis=1) <= 0.0).all() for x in found.spectra.values())
    known = [10.0, 9.50993, 9.42416, 8.87821]
    np.testing.assert_allclose(found.spectra["eigenvalues"][0, :4], known, atol=1e-5)
    values = np.abs(np.linalg.eigvals(hsr.expected_hsr(*of_world(1)).toarray()))
    assert found.ranks["eigenvalues"][1, 2] == pytest.approx(effective_rank(values), rel=1e-9)


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


def test_statements_on_bases_compare_what_they_name():
    """Planted: HSR-NMF is sparser than eSR-NMF, rises less than HSR-SVD, and is worse at K = 32."""
    rng = np.random.default_rng(2)
    shape = {name: (12, 4, 2) if name in ("error", "fit") else (12, 4) for name in MEASURES}
    measured = {name: 1 + 1e-4 * rng.random(shape[name]) for name in MEASURES}
    measured["sparsity"][:, 1] -= 0.2
    measured["fluctuation"][:, 2] *= np.exp(0.3)
    measured["error"][:, 3, 0] *= np.exp(0.1)
    measured["fit"][:, 0, 0] += 0.4
    measured["fit"][:, 0, 1] += 0.7  # with all components nothing is compared
    layout, sizes = load_layout("four_rooms"), np.array([32, 104])
    numbers = MechanismNumbers(layout, np.arange(3), sizes, np.zeros((4, 3, 2)), measured)
    found = differences("basis_mechanisms", numbers)
    assert len(found) == 3 * 3 + 1 + 2 + 3
    assert {words: round(x, 2) for words, x in found.items() if abs(x) > 0.01} == {
        "HSR-NMF is sparser along the walk than eSR-NMF.": 0.2,
        "HSR-NMF fluctuates less along the walk than HSR-SVD.": 0.3,
        "With 32 components HSR-NMF rebuilds its map as well as eSR-SVD.": 0.1,
        "With 32 components HSR-NMF fits values of goals as well as eSR-SVD.": -0.4,
    }
    assert list(BASES) == ["eSR-SVD", "eSR-NMF", "HSR-SVD", "HSR-NMF"]


def test_a_planted_tail_is_found():
    rng = np.random.default_rng(3)
    ranks = {kind: 8 + 1e-4 * rng.random((12, 3)) for kind in SPECTRA}
    ranks["norms"][:, 1] *= np.exp(0.5)
    ranks["eigenvalues"][:, 0] *= np.exp(-0.2)
    found = differences("spectra", SpectraNumbers({}, ranks))
    assert len(found) == 4
    assert {words: round(x, 2) for words, x in found.items() if abs(x) > 0.01} == {
        "Eigenvalues of eHSR have a heavier tail than those of RW-SR.": 0.2,
        "Norms of the NMF parts of eHSR have a heavier tail than those of eSR.": -0.5,
    }
