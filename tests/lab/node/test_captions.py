"""Sentences above pictures are computed from the numbers that the pictures show."""

import re

import numpy as np
import pytest

import hsr
from tests.lab.node.library import LibraryWorld, of
from tests.lab.node.page_code import computed

WORLDS = {
    "walk": of("four_rooms", discount=0.95),
    "both signs": of("four_rooms", n=8, signs="both"),
    "goal": of("four_rooms", "1"),
    "open field": of("\n".join(["S" + "." * 8, *["." * 9] * 7, "1" + "." * 7 + "2"]), n=4),
    "far from options": of("four_rooms", "2", kind="covering", n=1),
}
SOURCE = """
import { answer } from "./answers";
import { describe, readScene } from "./grids/scene";
import { Slices } from "./work";
import { Grid } from "../grid";
import { aboutDifference, aboutFeature, aboutHsr, aboutMatrix, aboutSr } from "../captions";
import { aboutReward } from "../captions";
export default async (worlds) => {
  const told = {};
  for (const [name, world] of Object.entries(worlds)) {
    const ask = (what, fields) => answer(what, { world, ...fields }, new Slices());
    const scene = readScene(world.map);
    const context = { grid: Grid.read(world.map), checked: describe(scene) };
    const { sr, hsr, led, sources } = await ask("rows", { state: 3, which: null });
    const { matrix } = await ask("matrix", { which: "sr" });
    const other = (await ask("matrix", { which: "hsr" })).matrix;
    const { features } = await ask("basis", { which: "sr", basis: "nmf", n: 4 });
    told[name] = {
      led, sources,
      sr: aboutSr(sr, 3, context, scene.layout.distancesTo(3)),
      hsr: aboutHsr(sr, hsr, led, sources, context),
      difference: aboutDifference(sr, hsr),
      reward: aboutReward(Array.from(sr, (_, s) => s % 7 - 3), { SR: sr, HSR: hsr }),
      matrix: aboutMatrix(matrix, undefined, context),
      other: aboutMatrix(other, matrix, context),
      feature: aboutFeature(features[0], "nmf", context), part: features[0],
    };
  }
  return told;
};
"""


@pytest.fixture(scope="module")
def told():
    return computed(SOURCE, {name: described() for name, described in WORLDS.items()})


def place(library, state):
    row, column = library.layout.cell_of(state)
    return f"line {row + 1}, column {column + 1}"


def numbers(text):
    return [float(word) for word in re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?", text)]


def rows_of(library):
    return library.map("sr").rows(3), library.map("hsr").rows(3)


@pytest.mark.parametrize("name", ["walk", "both signs", "open field"])
def test_gains_and_dark_spots_are_those_of_the_rows(told, name):
    library = LibraryWorld(WORLDS[name]())
    sr, hsr_row = rows_of(library)
    text = told[name]["hsr"]
    gain, dark = int(np.argmax(hsr_row - sr)), int(np.argmin(hsr_row))
    largest = re.search(r"Largest gain at (.*?): (\S+) to (\S+) visits", text)
    assert largest[1].endswith(place(library, gain))
    assert [float(largest[2]), float(largest[3])] == pytest.approx(
        [sr[gain], hsr_row[gain]], rel=5e-3
    )
    darkest = re.search(r"Fewest visits at (.*?): (\S+); (.*)\.", text)
    assert darkest[1] == place(library, dark)
    assert float(darkest[2]) == pytest.approx(hsr_row[dark], rel=5e-2)
    model = hsr.option_model(library.mdp, library.options)
    chosen = range(4, 4 + len(library.options))
    # an option leads to a state from s if it visits it on the way, or stops there
    unit = np.eye(library.mdp.n_states)[dark]
    leads = np.zeros(library.mdp.n_states, dtype=bool)
    for o in chosen:
        visits, stops = model.occupancy(o) @ unit, model.stopping(o) @ unit
        leads |= library.options.initiation[o - 4] & ((visits > 0) | (stops > 0))
    leads[dark] = False
    assert told[name]["sources"] == leads.sum()
    assert (
        f"from {leads.sum()} of " in darkest[3]
        if leads.any()
        else darkest[3] == "no option leads there"
    )


def test_visits_of_options_are_those_that_single_steps_do_not_make(told):
    """In each state, arrivals by single steps are all visits but the first and those of options."""
    library = LibraryWorld(WORLDS["walk"]())
    mdp, n = library.mdp, library.mdp.n_states
    model = hsr.option_model(mdp, library.options)
    available = np.asarray(model.available)
    mu = (available / available.sum(axis=0)).T
    G = sum(np.diag(mu[:, c]) @ np.asarray(model.stopping(c).todense()) for c in range(mu.shape[1]))
    chosen = np.linalg.solve((np.eye(n) - G).T, np.eye(n)[3])
    steps = sum(
        mdp.discount * (chosen * mu[:, a]) @ mdp.transition_of(a).toarray() for a in range(4)
    )
    led = rows_of(library)[1] - np.eye(n)[3] - steps
    np.testing.assert_allclose(told["walk"]["led"], led, atol=1e-9)
    share = round(100 * led.sum() / rows_of(library)[1].sum())
    assert told["walk"]["hsr"].startswith(f"Options lead to {share} % of all visits.")


BRIEF = 'import { brief } from "../scale"; export default (values) => values.map(brief);'


def test_numbers_are_written_without_a_tail_of_zeros():
    """The row of a map with discount 0.9999 sums to 10000, not to 1.0e4."""
    values = [0, 1 / 3, 19.96, 1111.1, 10_000, -4.66, 1e-9, 7.94e-6, 2.5e7]
    words = ["0", "0.333", "20", "1111", "10000", "-4.66", "1e-9", "7.9e-6", "2.5e7"]
    assert computed(BRIEF, values) == words


COLOURS = """
import { scaleOf } from "../scale";
export default ({ far, near }) => [far, near].map((values) => {
  const scale = scaleOf("log", values);
  return [scale.middle, [...values, scale.middle, 0].map(scale.unit)];
});
"""


def test_logarithmic_colours_tell_every_distance_in_a_large_maze():
    far, near = 10.0 ** -np.arange(0, 320, 8), 10.0 ** -np.arange(6)
    (middle, shown), (_, even) = computed(COLOURS, {"far": list(far), "near": list(near)})
    assert middle == pytest.approx(1e-4)
    *units, half, none = shown
    assert (np.diff(units) < -1 / 256).all()  # each has a colour of its own, of 256
    assert [units[0], half, units[-1], none] == [1, 0.5, 0, 0]
    np.testing.assert_allclose(even[:6], np.linspace(1, 0, 6), atol=1e-12)


@pytest.mark.parametrize("name", ["walk", "goal"])
def test_what_is_collected_is_the_map_times_the_rewards(told, name):
    library = LibraryWorld(WORLDS[name]())
    reward = np.arange(library.mdp.n_states) % 7 - 3.0
    told_worth = re.fullmatch(
        r"The framed state has the value (\S+) by the SR and (\S+) by the HSR: "
        r"its visits times the rewards\.",
        told[name]["reward"],
    )
    expected = [(library.map(which) @ reward)[3] for which in ("sr", "hsr")]
    assert [float(worth) for worth in told_worth.groups()] == pytest.approx(expected, rel=5e-3)


def test_identical_rows_are_called_identical_with_the_reason(told):
    assert "Identical to the SR here" in told["goal"]["hsr"]
    assert "lead along the same steps" in told["goal"]["hsr"]
    assert told["far from options"]["hsr"].endswith("because the plan takes no option.")
    assert told["goal"]["difference"] == "There is no difference from this state."


@pytest.mark.parametrize("name", ["walk", "open field"])
def test_shares_are_those_of_the_rows(told, name):
    library = LibraryWorld(WORLDS[name]())
    sr, hsr_row = rows_of(library)
    distance = library.layout.distances_from(3)
    within = next(d for d in range(99) if sr[distance <= d].sum() >= sr.sum() / 2)
    assert f"within {within} step" in told[name]["sr"]
    moved = 50 * np.abs(hsr_row - sr).sum() / sr.sum()
    more = int((hsr_row > sr).sum())
    assert numbers(told[name]["difference"]) == [round(moved), more, len(sr) - more]
    M, H = (np.asarray(library.map(which)) for which in ("sr", "hsr"))
    column = int(np.argmax((H - M).mean(axis=0)))
    assert place(library, column) in told[name]["other"]
    rooms = library.layout.room_of
    if name == "open field":
        assert "no separate rooms" in told[name]["matrix"]
        assert "room" not in told[name]["sr"] + told[name]["feature"]
        return
    inside = 100 * sr[rooms == rooms[3]].sum() / sr.sum()
    assert f"{round(inside)} % stay in its room" in told[name]["sr"]
    stay = [M[s, rooms == rooms[s]].sum() / M[s].sum() for s in np.flatnonzero(rooms >= 0)]
    assert f"{round(100 * np.mean(stay))} % of all visits stay" in told[name]["matrix"]
    part = np.array(told[name]["part"])
    top = rooms[part.argmax()]
    assert (
        f"{round(100 * part[rooms == top].sum() / part.sum())} % lie in one room"
        in told[name]["feature"]
    )
