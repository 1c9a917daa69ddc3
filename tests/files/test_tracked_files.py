"""Files of MDPs that were made of tracked positions."""

import numpy as np

import hsr
from tests.cases import cases

XY = np.repeat([[0.5, 0.5], [1.5, 0.5], [np.nan] * 2, [1.5, 1.5], [1.5, 0.5], [9.5, 0.5]], 4, 0)
ASKED = {"bin_size": 1.0, "extent": (0, 10, 0, 2), "max_speed": 3.0}
RECORDINGS = {
    "square": lambda: hsr.from_positions(XY, **ASKED),
    "hexagonal": lambda: hsr.from_positions(XY, bin_shape="hexagonal", **ASKED),
    "time constant": lambda: hsr.from_positions(XY, np.arange(24) / 10, tau=3.0, **ASKED),
    "walls": lambda: hsr.from_positions(XY, walls=[[[1.0, 1.5], [1.0, 3.0]]], **ASKED),
    "no limit": lambda: hsr.from_positions(np.repeat([[0.0, 0.0], [1.0, 0.0]], 9, 0), n_bins=2),
}
ARRAYS = ("counts", "possible", "estimated", "centres", "occupancy", "frames", "segments", "t")
PLAIN = ("labels", "action_labels", "discount", "dt", "bin_kind", "bin_spacing", "coordinates")


@cases("make", RECORDINGS)
def test_everything_comes_back(make, tmp_path):
    mdp = make()
    hsr.save(mdp, tmp_path / "mdp.npz")
    back = hsr.load(tmp_path / "mdp.npz")
    assert type(back) is hsr.TrackedMDP
    for name in (*ARRAYS, "walls"):
        mine, theirs = getattr(back, name), getattr(mdp, name)
        np.testing.assert_array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype
        assert not mine.flags.writeable
    for name in (*PLAIN, "report", "fingerprint"):
        assert getattr(back, name) == getattr(mdp, name)
    for name in ("paths", "bin_edges"):
        mine, theirs = getattr(back, name) or (), getattr(mdp, name) or ()
        assert [part.tolist() for part in mine] == [part.tolist() for part in theirs]
    assert back.to_grid(back.occupancy).identical(mdp.to_grid(mdp.occupancy))
