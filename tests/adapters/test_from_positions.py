"""`from_positions` on known truth: simulated animals, and answers computed in plain Python."""

import pickle
from itertools import pairwise

import networkx
import numpy as np
import pytest

import hsr
from tests.cases import cases, raises

LAYOUT = hsr.load_layout("four_rooms")


def random_walk(n_steps, seed=0):
    """Return a random walk through the cells of a layout that moves at every step."""
    rng = np.random.default_rng(seed)
    path = [LAYOUT.start]
    while len(path) < n_steps:
        after = int(LAYOUT.neighbours[path[-1], rng.integers(4)])
        if after != path[-1]:
            path.append(after)
    return np.array(path)


def positions_of(path, frames_per_cell=3, jitter=0.4, seed=1):
    """Return the cell and a position in it for each frame."""
    cells = np.repeat(path, frames_per_cell)
    noise = np.random.default_rng(seed).uniform(-jitter, jitter, (cells.size, 2))
    return cells, LAYOUT.cells[cells][:, ::-1] + 0.5 + noise


def counts_of(pieces):
    """Return the moves in pieces of paths through the layout, counted one by one."""
    counts = np.zeros((LAYOUT.n_states, 4), dtype=int)
    for piece in pieces:
        for before, after in pairwise(piece):
            if before != after:
                counts[before, LAYOUT.neighbours[before].tolist().index(after)] += 1
    return counts


def pieces_of(cells, known, trial):
    """Return the runs of frames that are known and in one trial, by a plain loop."""
    pieces, before = [], None
    for frame, cell in enumerate(cells):
        if not known[frame]:
            before = None
            continue
        if before is None or trial[frame] != before:
            pieces.append([])
        pieces[-1].append(int(cell))
        before = trial[frame]
    return pieces


@pytest.fixture(scope="module")
def damaged():
    """A walk with trials, missing frames and glitches, and the pieces that are known of it."""
    rng = np.random.default_rng(2)
    cells, xy = positions_of(random_walk(2000))
    trial = np.repeat(np.arange(10), cells.size // 10)
    known = np.ones(cells.size, dtype=bool)
    missing = rng.choice(cells.size, 60, replace=False)
    apart = np.setdiff1d(np.arange(20, cells.size - 20, 5), missing)
    glitch = rng.choice(apart, 60, replace=False)
    far = LAYOUT.cells[:, ::-1] + 0.5
    for frame in glitch:
        away = np.abs(far - xy[frame]).sum(axis=1) > 9
        xy[frame] = far[rng.choice(np.flatnonzero(away))]
    xy[missing, rng.integers(2)] = np.nan
    known[missing] = known[glitch] = False
    return xy, trial, pieces_of(cells, known, trial), known


def test_the_counts_are_those_of_the_known_path():
    cells, xy = positions_of(random_walk(3000))
    mdp = hsr.from_positions(xy, layout=LAYOUT)
    for ours, expected in (
        (mdp.counts, counts_of([cells])),
        (mdp.frames, cells),
        (mdp.paths, [random_walk(3000)]),
        (mdp.occupancy, np.bincount(cells, minlength=LAYOUT.n_states)),
        (mdp.successors, LAYOUT.neighbours),
        (mdp.labels, LAYOUT.cells),
    ):
        np.testing.assert_array_equal(ours, expected)
    assert mdp.report.kept == mdp.report.frames == 9000
    assert mdp.report.segments == 1


@pytest.mark.parametrize("limit", [{"max_speed": 2.0}, {}], ids=["given", "usual"])
def test_missing_frames_glitches_and_trials_invent_no_move(damaged, limit):
    xy, trial, pieces, known = damaged
    mdp = hsr.from_positions(xy, trials=trial, layout=LAYOUT, **limit)
    np.testing.assert_array_equal(mdp.counts, counts_of(pieces))
    report = mdp.report
    assert report.glitches == report.missing == 60
    assert report.segments == len(pieces) == len(mdp.paths)
    assert report.kept == known.sum()
    for path, piece in zip(mdp.paths, pieces, strict=True):
        moved = [cell for k, cell in enumerate(piece) if k == 0 or cell != piece[k - 1]]
        assert path.tolist() == moved
    # every frame and every split is reported once
    left_out = ("missing", "unsure", "outside", "between_trials", "glitches", "unconnected")
    assert report.kept + sum(getattr(report, name) for name in left_out) == report.frames
    assert report.segments == 10 + report.jumps + report.gaps + report.not_filled
    assert report.as_dict()["frames"] == xy.shape[0]
    assert "frames that are glitches, cut off by jumps: 60" in str(report)


def test_bridged_gaps_join_the_path_where_the_animal_reappears_nearby():
    cells, xy = positions_of(random_walk(500), jitter=0.0)
    xy[4::6] = np.nan  # the middle frame of three in the same cell
    split = hsr.from_positions(xy, layout=LAYOUT)
    bridged = hsr.from_positions(xy, layout=LAYOUT, gaps="bridge")
    np.testing.assert_array_equal(bridged.counts, counts_of([cells]))
    assert split.report.gaps == bridged.report.bridged == 250
    assert bridged.report.segments == 1
    assert split.report.segments == 251


@pytest.mark.parametrize("glitch", [(950.0, -80.0), (50.0, 99.0), (88.0, 12.0)])
def test_one_glitch_in_20001_frames_leaves_no_state_behind(glitch):
    t = np.arange(20_001) / 50.0
    xy = 50.0 + 40.0 * np.stack([np.cos(0.7 * t), np.sin(1.1 * t)], axis=1)
    clean = hsr.from_positions(xy, t, n_bins=12)
    xy[10_000] = glitch
    mdp = hsr.from_positions(xy, t, n_bins=12)
    assert mdp.labels == clean.labels
    assert mdp.report.glitches == 1
    np.testing.assert_array_equal(mdp.successors, clean.successors)


def test_a_jump_splits_the_path():
    xy = np.concatenate([np.linspace([0, 0], [3, 0], 31), np.linspace([8, 0], [3, 0], 51)])
    mdp = hsr.from_positions(xy, bin_size=1.0, extent=(-0.5, 8.5, -0.5, 0.5), max_speed=1.0)
    assert mdp.report.jumps == 1
    assert [path.tolist() for path in mdp.paths] == [[0, 1, 2, 3], [8, 7, 6, 5, 4, 3]]


def test_flicker_at_borders_is_no_move():
    """A nose trembles over the border to the next cell three times before the animal goes there."""
    path = random_walk(300)
    cells, xy = positions_of(path, 15, jitter=0.1)
    for k, there in enumerate(path[1:]):
        xy[15 * k + np.arange(6, 12, 2)] = LAYOUT.cells[there][::-1] + 0.5  # every other frame
    asked = {"layout": LAYOUT, "max_speed": 99.0}
    t = np.arange(cells.size) / 30
    mdp = hsr.from_positions(xy, t, **asked)
    np.testing.assert_array_equal(mdp.counts, counts_of([cells]))
    np.testing.assert_array_equal(mdp.frames, cells)
    assert (mdp.report.shortest, mdp.report.excursions) == (6, 3 * 299)
    assert "returns after fewer than 6 frames, which do not count: 897" in str(mdp.report)
    raw = hsr.from_positions(xy, t, shortest=0, **asked).report
    assert raw.moves == 299 + 2 * 897
    assert raw.reversals > 0.5 * raw.moves
    with pytest.warns(hsr.HSRWarning, match="of the moves lead back at once"):
        hsr.from_positions(xy, **asked)  # nobody knows what a second is
    assert hsr.from_positions(xy, shortest=4, **asked).report.moves == 299  # frames


@pytest.mark.parametrize(("fps", "frames"), [(30, 6), (50, 10), (7.5, 2), (2, 0), (30_000, 0)])
def test_the_usual_shortest_visit_depends_on_the_sampling_rate(fps, frames):
    cells, xy = positions_of(np.repeat(random_walk(40), 2))
    report = hsr.from_positions(xy, np.arange(cells.size) / fps, layout=LAYOUT).report
    assert report.shortest == frames


def test_points_just_beyond_the_extent_are_moved_to_its_border_and_others_left_out():
    xy = np.stack([np.linspace(-0.4, 10.3, 200), np.full(200, 0.5)], axis=1)
    xy[140:150] = (10.3, 9.0)  # far away
    with pytest.warns(hsr.HSRWarning, match="10 of 200 positions lie outside of all bins"):
        mdp = hsr.from_positions(xy, bin_size=1.0, extent=(0, 10, 0, 1), max_speed=1e9)
    assert mdp.n_states == 10
    assert (mdp.report.outside, mdp.report.gaps) == (10, 1)
    assert mdp.report.moved == ((xy[:, 0] < 0) | (xy[:, 0] > 10)).sum() - 10
    assert "moved to its border" in str(mdp.report)


def test_with_a_time_constant_a_step_is_a_frame_and_staying_an_action():
    cells, xy = positions_of(random_walk(200))
    t = np.arange(cells.size) * 0.02
    mdp = hsr.from_positions(xy, t, layout=LAYOUT, tau=0.5, shortest=0)
    assert mdp.discount == pytest.approx(np.exp(-0.02 / 0.5), rel=1e-12)
    assert mdp.action_labels[-1] == "stay"
    np.testing.assert_array_equal(mdp.counts[:, :4], counts_of([cells]))
    stays = np.bincount(cells[1:][cells[1:] == cells[:-1]], minlength=LAYOUT.n_states)
    np.testing.assert_array_equal(mdp.counts[:, 4], stays)
    np.testing.assert_array_equal(mdp.paths[0], cells)
    np.testing.assert_allclose(mdp.occupancy.sum(), cells.size * 0.02)


def test_the_behaviour_gives_the_chain_that_was_walked():
    path = random_walk(3000)
    mdp = hsr.from_positions(positions_of(path)[1], layout=LAYOUT)
    P = np.zeros((LAYOUT.n_states, LAYOUT.n_states))
    np.add.at(P, (path[:-1], path[1:]), 1.0)
    P /= P.sum(axis=1, keepdims=True)
    M = hsr.successor_representation(mdp, mdp.behaviour()).toarray()
    np.testing.assert_allclose(M, np.linalg.inv(np.eye(len(P)) - 0.9 * P), atol=1e-9)
    assert (mdp.behaviour(pseudo_counts=1.0) > 0).sum() == mdp.possible.sum()


@pytest.fixture
def skipping():
    """Return positions and bins of an animal that skips bins on its second round of a track."""
    corners = np.array([[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]], dtype=float)
    slow = np.concatenate([np.linspace(a, b, 37)[:-1] for a, b in pairwise(corners)])
    xy = np.concatenate([slow, slow[::12], [[0.0, 0.0]]])
    return {"xy": xy, "bin_size": 1.0, "extent": (-0.5, 9.5, -0.5, 9.5), "max_speed": 100.0}


def test_moves_that_skip_bins_are_filled_with_shortest_ways(skipping):
    mdp = hsr.from_positions(**skipping)
    graph = networkx.Graph(
        (s, int(t)) for s in range(mdp.n_states) for t in mdp.successors[s] if t != s
    )
    lengths = [networkx.shortest_path_length(graph, a, b) for a, b in pairwise(mdp.frames)]
    assert mdp.report.filled == sum(length > 1 for length in lengths) > 10
    assert mdp.report.moves == sum(lengths) == mdp.counts.sum()
    assert all(graph.has_edge(a, b) for a, b in pairwise(mdp.paths[0]))


def test_moves_that_skip_bins_split_the_path_if_asked(skipping):
    with pytest.warns(hsr.HSRWarning, match="moves skip bins"):
        report = hsr.from_positions(skips="split", **skipping).report
    assert report.filled == 0
    assert report.not_filled == report.segments - 1 > 10


def test_bins_that_are_not_connected_are_dropped_or_kept():
    here = np.linspace([0, 0], [3, 0], 200)
    xy = np.concatenate([here, here[::-1], [[np.nan] * 2], np.linspace([7, 0], [9, 0], 50)])
    asked = {"bin_size": 1.0, "extent": (-0.5, 9.5, -0.5, 0.5)}
    mdp = hsr.from_positions(xy, **asked)
    everything = hsr.from_positions(xy, missing="keep", **asked)
    edges = [(s, int(t)) for s in range(everything.n_states) for t in everything.successors[s]]
    parts = sorted(networkx.connected_components(networkx.Graph(edges)), key=len)
    assert [len(part) for part in parts] == [3, 4]
    assert mdp.labels == tuple(everything.labels[s] for s in sorted(parts[-1]))
    assert mdp.report.dropped_bins == ((7, 0), (8, 0), (9, 0))
    assert mdp.report.unconnected == 50
    assert "not connected, (7, 0), (8, 0), (9, 0): 50" in str(mdp.report)


def test_thin_walls_close_passages_that_were_never_walked():
    y, x = np.mgrid[0:3, 0:3]
    lawn = np.stack([x.ravel(), y.ravel()], axis=1)[[0, 1, 2, 5, 4, 3, 6, 7, 8]].astype(float)
    xy = np.repeat(lawn, 3, axis=0)
    wall = [[[-0.5, 0.5], [1.5, 0.5]]]  # above the first row, with a gap at the right
    asked = {"bin_size": 1.0, "extent": (-0.5, 2.5, -0.5, 2.5)}
    mdp = hsr.from_positions(xy, walls=wall, **asked)
    a, b, c, d = (mdp.state_of(cell) for cell in ((0, 0), (0, 1), (1, 1), (1, 2)))
    assert b not in mdp.successors[a]
    assert d in mdp.successors[c]
    assert d not in hsr.from_positions(xy, **asked).successors[c]
    np.testing.assert_array_equal(mdp.walls, wall)


def test_a_world_survives_pickling_and_is_read_only(damaged):
    xy, trial, _, _ = damaged
    mdp = hsr.from_positions(xy, trials=trial, bin_size=1.0, extent=(0, 13, 0, 13))
    again = pickle.loads(pickle.dumps(mdp))
    assert (repr(again), again.report) == (repr(mdp), mdp.report)
    for name in ("counts", "frames", "segments", "centres", "occupancy", "t"):
        np.testing.assert_array_equal(getattr(again, name), getattr(mdp, name))
        assert not getattr(again, name).flags.writeable
    assert not any(array.flags.writeable for array in (*again.paths, *again.bin_edges))


XY = np.random.default_rng(0).uniform(0, 10, (50, 2)).cumsum(axis=0) % 10
T = np.arange(50) * 0.1
BAD = {
    "only nan": ({"xy": np.full((50, 2), np.nan)}, "all 50 positions are nan"),
    "turned": ({"xy": XY.T}, r"shape \(2, 50\).*is it xy.T"),
    "still": ({"xy": np.ones((50, 2))}, r"all positions are \[1.0, 1.0\]"),
    "times go backwards": ({"t": np.where(T[9] == T, 0.0, T)}, r"t\[9\] is 0 and t\[8\] is 0.8"),
    "large bins": ({"bin_size": 20.0}, "bin_size is 20.0, and the arena is .* long"),
    "outside": ({"extent": (20, 30, 20, 30)}, "all positions lie outside of all bins"),
    "bins and layout": ({"n_bins": 5, "layout": LAYOUT}, "n_bins and layout cannot both be given"),
    "a table of bins": ({"n_bins": np.ones((2, 2))}, "must be a number, or one along x and y"),
    "ragged bins": ({"n_bins": [[1], [2, 3]]}, "must be a number, or one along x and y"),
    "a billion bins": ({"n_bins": 10**9}, "x 1,000,000,000 bins for 50 frames"),
    "another unit": ({"bin_size": 1e-3}, "Bins must be in the unit of xy"),
    "hexagons in another unit": (
        {"bin_size": 1e-3, "bin_shape": "hexagonal"},
        "Bins must be in the unit of xy",
    ),
    "nothing connected": ({"n_bins": 90, "skips": "split"}, "no two bins of"),
    "layout by name": ({"layout": "four_rooms"}, "it must be a GridLayout"),
    "small in a layout": ({"xy": XY / 10, "layout": LAYOUT}, "say where the layout lies"),
    "in one bin": ({"n_bins": 2, "extent": (0, 99, 0, 99)}, "was in 1 bin only"),
    "tau and discount": ({"tau": 1.0, "discount": 0.9}, "discount and tau cannot both be given"),
    "trials beyond": ({"trials": [[0, 60]]}, "trials reach from frame 0 to 60, and there are 50"),
    "trials turned": ({"trials": [[30, 10]]}, r"trials\[0\] is \[30.0, 10.0\]"),
    "trials of video frames": ({"trials": [[100, 120], [200, 230]]}, "add up to the number of"),
}


@cases("arguments, words", BAD)
def test_bad_input_is_refused_with_one_clear_error(arguments, words):
    with raises(words):
        hsr.from_positions(**({"xy": XY} | arguments))


def test_trials_that_hold_no_frame_are_warned_of():
    with pytest.warns(hsr.HSRWarning, match="2 of 3 trials hold no frame") as caught:
        hsr.from_positions(XY, T, n_bins=2, trials=[[0, 9], [10, 11], [12, 13]], max_speed=1e9)
    assert caught[0].filename == __file__


def test_frames_between_trials_do_not_count():
    cells, xy = positions_of(random_walk(400))
    t = np.arange(cells.size) / 30
    bounds = np.array([[100, 400], [600, 601], [700, 1200]])
    trial = np.full(cells.size, -1)
    for k, (first, last) in enumerate(bounds):
        trial[first:last] = k
    expected = counts_of(pieces_of(cells, trial >= 0, trial))
    labels = [None if k < 0 else f"trial {k}" for k in trial]
    for asked in (
        {"trials": bounds},
        {"t": t, "trials": (bounds - 0.5) / 30},
        {"trials": labels},
        {"trials": np.where(trial < 0, np.nan, trial)},
    ):
        mdp = hsr.from_positions(xy, layout=LAYOUT, shortest=0, **asked)
        np.testing.assert_array_equal(mdp.counts, expected)
        assert mdp.report.between_trials == (trial < 0).sum()
