"""Options, maps, features and horizons that the page computes are those of the library."""

import numpy as np
import pytest

import hsr
from tests.lab.node.library import LibraryWorld, maze, of
from tests.lab.node.page_code import REPLIES, assert_same, computed, replies_of_the_page, world

pytestmark = pytest.mark.filterwarnings("ignore::hsr.HSRWarning")


PARTS = "parts 9"  # not connected
MAZES = (
    "four_rooms", "four_rooms_barriers", "loop", "corridor", "paired_bottlenecks", "maze 7",
    "maze 9", "maze 15", "maze 31", "square 5", PARTS, "walls 31", "walls 61", "maze 61", "S1",
)  # fmt: skip
KINDS = {
    "both signs": {"n": 7, "signs": "both"},
    "random signs": {"n": 6, "signs": "random", "seed": 3},
    "constant counted": {"n": 4, "first": "counted"},
    "many": {"n": 40},
    "covering": {"kind": "covering", "n": 6},
    "covering everywhere": {"kind": "covering", "n": 5, "initiation": "everywhere"},
    "random": {"kind": "random", "n": 6, "seed": 11},
    "betweenness": {"kind": "betweenness", "n": 5},
    "diffusion": {"kind": "diffusion", "n": 5, "diffusion_time": 9},
    "none": {"kind": "none"},
}
READINGS = {
    "as usual": {},
    "options first": {"ties": "options", "stopping_state": "counted_twice"},
    "actions first": {"ties": "primitives"},
}
WORLDS = {
    **{f"options of {name}": of(name) for name in MAZES},
    **{f"{kind} in four rooms": of("four_rooms", **given) for kind, given in KINDS.items()},
    **{f"{kind} in parts": of(PARTS, **given) for kind, given in KINDS.items()},
    "near one": of("four_rooms", discount=0.9999),
}
ROWS = {
    **{f"{name}, walk": of(name) for name in MAZES if name != "S1"},
    **{
        f"four rooms, {task}, {name}": of("four_rooms", task, reading=reading)
        for task in ("1", "2", "every")
        for name, reading in READINGS.items()
    },
    **{
        f"parts, {task}, {name}": of(PARTS, task, reading=reading)
        for task in ("walk", "1", "every")
        for name, reading in READINGS.items()
    },
    **{f"square, {kind}": of("square 5", "1", **KINDS[kind]) for kind in ("covering", "none")},
    **{f"loop at {g}": of("loop", "2", g) for g in (0.0, 0.5, 0.999)},
    "31 x 31, goal": of("walls 31", "1", kind="betweenness", n=5),
    "31 x 31, every goal": of("maze 31", "every", kind="none"),
    "61 x 61, goal": of("walls 61", "1", n=4),
    "61 x 61, drawn goals": of("maze 61", "every", n=4),
}
MATRICES = {
    "walk": (of("four_rooms"), "hsr"),
    "goal": (of("loop", "1"), "sr"),
    "every goal": (of("maze 9", "every"), "hsr"),
    "parts, every goal": (of(PARTS, "every", reading=READINGS["options first"]), "hsr"),
    "named": (of("maze 15", "1"), "esr"),
}
BASES = {
    "NMF": (of("four_rooms"), "hsr", "nmf", 12),
    "NMF of a goal": (of("four_rooms", "1"), "hsr", "nmf", 5),
    "NMF of all goals": (of("four_rooms", "every"), "sr", "nmf", 7),
    "NMF, symmetric": (of("corridor"), "sr", "nmf", 12),
    "NMF, 31 x 31": (of("maze 31"), "hsr", "nmf", 4),
    "SVD": (of("four_rooms"), "hsr", "svd", 12),
    "SVD, all": (of("maze 7"), "hsr", "svd", 17),
    "SVD, 31 x 31": (of("maze 31"), "hsr", "svd", 8),
    "rows": (of("four_rooms"), "hsr", "rows", 9),
    "one-hot": (of("four_rooms"), "hsr", "onehot", 9),
}
SQUARE = (of("square 5"), "sr", "svd", 4)
MATCHED = ("a maze", "four rooms")
DISTANCES = {
    "a maze": of("maze 21", n=16),
    "four rooms": of("four_rooms", discount=0.95),
    "no options": of("four_rooms", kind="none"),
    "a goal": of("four_rooms", "1"),
}


def state_in(described):
    return len(described["map"]) % 9


@pytest.fixture(scope="module")
def page():
    """Return the reply of the page to every request, by its name."""
    asked = {f"world {name}": {"do": "world", "world": made()} for name, made in WORLDS.items()}
    for name, made in ROWS.items():
        fields = {"state": state_in(made()), "which": "rw_hsr"}
        asked[f"rows {name}"] = {"do": "rows", "world": made(), **fields}
    for name, (made, which) in MATRICES.items():
        asked[f"matrix {name}"] = {"do": "matrix", "world": made(), "which": which}
    for name, (made, which, basis, n) in {**BASES, "equal values": SQUARE}.items():
        fields = {"which": which, "basis": basis, "n": n}
        asked[f"basis {name}"] = {"do": "basis", "world": made(), **fields}
    for name, made in DISTANCES.items():
        fields = {"do": "distance", "world": made(), "state": 24}
        asked[f"distance {name}"] = {**fields, "matched": False}
        asked[f"matched {name}"] = {**fields, "matched": name in MATCHED}
    return replies_of_the_page(asked)


@pytest.mark.parametrize("name", WORLDS)
def test_options_and_spectrum_are_those_of_the_library(page, name):
    reply = page[f"world {name}"]
    names = [option["name"] for option in reply["options"]]
    library = LibraryWorld(WORLDS[name](), names)
    assert reply["unique"]
    assert names == list(library.options.names)
    for o, (shown, option) in enumerate(zip(reply["options"], library.options, strict=True)):
        assert shown["policy"] == np.where(option.initiation, option.policy, -1).tolist()
        assert shown["ends"] == np.flatnonzero(option.termination).tolist()
        if library.vectors is None:
            assert shown["vector"] is None
        else:
            assert_same(shown["vector"], library.vectors[:, o])
    assert_same(reply["spectrum"], library.spectrum())


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_maps_are_those_of_the_library(page, name):
    reply, library = page[f"rows {name}"], LibraryWorld(ROWS[name]())
    state = state_in(ROWS[name]())
    for shown, which in (("sr", "sr"), ("hsr", "hsr"), ("other", "rw_hsr")):
        M = library.map(which)
        row = M[state] if isinstance(M, np.ndarray) else M.rows(state)
        assert_same(reply[shown], row)


@pytest.mark.parametrize("name", MATRICES)
def test_whole_maps_are_those_of_the_library(page, name):
    made, which = MATRICES[name]
    M = np.asarray(LibraryWorld(made()).map(which))
    assert_same(page[f"matrix {name}"]["matrix"], M.ravel())


@pytest.mark.parametrize("name", BASES)
def test_features_are_those_of_the_library(page, name):
    made, *asked = BASES[name]
    assert page[f"basis {name}"]["unique"]
    assert_same(page[f"basis {name}"]["features"], LibraryWorld(made()).features(*asked))


def test_features_that_rounding_decides_are_shown_and_named(page):
    reply = page["basis equal values"]
    assert not reply["unique"]
    M = np.asarray(LibraryWorld(SQUARE[0]()).map("sr"))
    for feature in reply["features"]:  # the SR is symmetric: each feature is an eigenvector
        feature = np.array(feature)
        assert_same(M @ feature, feature @ M @ feature / (feature @ feature) * feature)


def test_a_long_request_lets_others_pass_and_can_be_cancelled():
    many = world(maze("maze 31"), "every", n=40)
    source = (
        REPLIES.replace("export default", "const unused =")
        + """
    export default async ([long, short]) => {
      const work = new Slices();
      const order = [];
      const slow = reply(long, work).then((result) => order.push("long", result.refused));
      await reply(short);
      order.push("quick");
      work.cancelled = true;
      await slow;
      return order;
    };
    """
    )
    long = {"do": "matrix", "world": many, "which": "hsr"}
    short = {"do": "world", "world": world("S.1")}
    assert computed(source, [long, short]) == ["quick", "long", "cancelled"]


def test_ties_that_are_broken_by_the_draws_of_the_library_give_its_plan():
    source = """
    import { readScene } from "./grids/scene";
    import { findJumps } from "./maps/jumps";
    import { planOver } from "./maps/plan";
    import { makeChoices } from "./options/kinds";
    export default async ({ described, draws }) => {
      const { layout, goals } = readScene(described.map);
      const work = { due: () => false };
      const { options } = await makeChoices(layout, described.discount, described.options, work);
      const jumps = findJumps(layout, options, described.discount, goals.get(1));
      return planOver(jumps, layout.distancesTo(goals.get(1)), "random", () => draws.shift());
    };
    """
    described = world(maze("four_rooms"), "1")
    library = LibraryWorld(described)
    draws = np.random.default_rng(5).random(library.mdp.n_states).tolist()
    task = hsr.GoalTask(start=None, goal=library.goal("1"))
    model = hsr.option_model(library.mdp, library.options, task=task)
    mu = hsr.plan_over_options(model, task, ties="random", seed=5)
    assert_same(np.transpose(computed(source, {"described": described, "draws": draws})), mu)


@pytest.mark.parametrize("name", DISTANCES)
def test_fitted_and_predicted_horizons_are_those_of_the_library(page, name):
    reply, library = page[f"distance {name}"], LibraryWorld(DISTANCES[name]())
    mdp = library.mdp
    walks = {"sr": mdp, "hsr": hsr.option_model(mdp, library.options)}
    for which, walk in walks.items():
        shown = reply[which]
        found = hsr.horizon(library.map(which), mdp, states=[24])
        assert shown["distances"] == found.distances.tolist()
        assert_same(np.log(shown["visits"]), found.log_visits)
        assert shown["length"] == pytest.approx(found.of_states[0], rel=1e-9)
        assert np.diff(np.log(shown["line"])) == pytest.approx(
            -np.diff(found.distances) / found.of_states[0]
        )
        if name == "a goal":
            assert shown["predicted"] is None
        else:
            assert shown["predicted"] == pytest.approx(hsr.predicted_horizon(walk), rel=1e-9)


@pytest.mark.parametrize("name", MATCHED)
def test_a_matched_sr_looks_as_far_as_the_hsr(page, name):
    reply, library = page[f"matched {name}"], LibraryWorld(DISTANCES[name]())
    mdp = hsr.grid_mdp(library.layout, discount=reply["srDiscount"])
    found = hsr.horizon(hsr.successor_representation(mdp), mdp, states=[24])
    assert reply["hsr"] == page[f"distance {name}"]["hsr"]
    assert found.of_states[0] == pytest.approx(reply["hsr"]["length"], rel=1e-3)
    assert reply["sr"]["length"] == pytest.approx(found.of_states[0], rel=1e-6)


def test_the_prediction_for_a_random_walk_solves_its_equation(page):
    """The root of x + 1/x = 2 (1 - g (1 - q)) / (g q) is x = exp(-1 / horizon)."""
    mdp = LibraryWorld(DISTANCES["a maze"]()).mdp
    g, n = mdp.discount, mdp.n_states
    q = np.mean([mdp.successors[s, a] != s for s in range(n) for a in range(4)])
    x = np.exp(-1 / page["distance a maze"]["sr"]["predicted"])
    assert x + 1 / x == pytest.approx(2 * (1 - g * (1 - q)) / (g * q))
