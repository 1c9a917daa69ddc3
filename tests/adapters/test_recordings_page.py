"""The code of the page about recordings, on files that are written here in each format."""

import re

import numpy as np
import pytest

import hsr
from tests.project.tree import text_of

PAGE = text_of("docs/how-to/recordings.md")
T = np.arange(1200) / 39.0625
XY = np.stack([np.cos(T / 2), np.sin(T / 3)], axis=1) * 50.0 + 60.0
TRIALS = np.array([[0.0, 12.0], [15.0, T[-1] + 0.01]])
SPIKES = {2: T[100:500:7], 3: T[600:1100:11]}
pytestmark = pytest.mark.filterwarnings("ignore")  # libraries that read files warn


def run(title, folder, monkeypatch, block=0, names=None):
    """Run a block of code under a heading in a folder, and return its names."""
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    code = re.findall(r"```\{code-block\} python\n(.*?)```", section, re.S)[block]
    monkeypatch.chdir(folder)
    names = {} if names is None else names
    exec(compile(code, title, "exec"), names)
    return names


def assert_read(names, trials=None, bins=5):
    """Assert that what was read is the world and the rates of the arrays."""
    mdp = hsr.from_positions(XY, T, n_bins=bins, trials=trials, tau=2.0)
    assert names["mdp"].labels == mdp.labels
    np.testing.assert_array_equal(names["mdp"].counts, mdp.counts)
    expected = hsr.animals.rate_maps(list(SPIKES.values()), mdp)
    np.testing.assert_allclose(names["rates"].values, expected.values, rtol=1e-6)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The folder of the tiny files that the page writes, and what is in them."""
    pytest.importorskip("pynwb")
    names = {}
    for block in range(3):
        run("Tiny files to try this with", tmp_path, monkeypatch, block, names)
    return names | {"folder": tmp_path}


def assert_nose(mdp, made):
    """Assert that the world is that of the nose, without frames of a low likelihood."""
    xy = np.where(made["sure"][:, None] > 0.9, made["nose"], np.nan)
    assert mdp.report.unsure == 12
    expected = hsr.from_positions(xy, made["t"], bin_size=40.0)
    np.testing.assert_array_equal(mdp.counts, expected.counts)


def test_poses_with_pandas(made, monkeypatch):
    title = "DeepLabCut and LightningPose with pandas"
    assert_nose(run(title, made["folder"], monkeypatch)["mdp"], made)


def test_poses_with_movement(made, monkeypatch):
    movement = pytest.importorskip("movement.io")
    title = "DeepLabCut, LightningPose and SLEAP with movement"
    assert_nose(run(title, made["folder"], monkeypatch)["mdp"], made)
    for file, software in (("mouse.csv", "LightningPose"), ("mouse.analysis.h5", "SLEAP")):
        poses = movement.load_dataset(file, source_software=software, fps=30)
        assert_nose(hsr.from_positions(poses, keypoint="nose", bin_size=40.0), made)


def test_nwb(made, monkeypatch):
    names = run("NWB", made["folder"], monkeypatch)
    trials = [[0.0, 9.0 + 1e-9], [11.0, 20.0]]
    mdp = hsr.from_positions(made["nose"] / 1000, made["t"], n_bins=5, trials=trials, tau=2.0)
    np.testing.assert_array_equal(names["mdp"].counts, mdp.counts)
    rates = hsr.animals.rate_maps([made["t"][50:400:7]], mdp)
    np.testing.assert_allclose(names["rates"].values, rates.values, rtol=1e-6)
    assert list(names["spikes"]) == [2]


def test_nwb_with_pynapple(made, monkeypatch):
    pytest.importorskip("pynapple")
    names = run("NWB with pynapple", made["folder"], monkeypatch)
    assert names["mdp"].n_states == run("NWB", made["folder"], monkeypatch)["mdp"].n_states
    assert names["rates"].sizes["unit"] == 1


def test_text_files_of_crcns(tmp_path, monkeypatch):
    pytest.importorskip("xarray")
    lamps = np.hstack([XY - 1.0, XY + 1.0])
    np.savetxt(tmp_path / "ec013.527.whl", lamps, fmt="%.9f")
    noise = np.array([100.0, 200.0])
    times = np.concatenate([noise / 20_000.0, *SPIKES.values()])
    cluster = np.repeat([0, 1, *SPIKES], [1, 1, *(x.size for x in SPIKES.values())])
    np.savetxt(tmp_path / "ec013.527.res.1", np.rint(times * 20_000.0), fmt="%d")
    np.savetxt(tmp_path / "ec013.527.clu.1", [4, *cluster], fmt="%d")
    names = run("CRCNS: text files of hc-2 and hc-3", tmp_path, monkeypatch)
    assert list(names["spikes"]) == ["1/2", "1/3"]
    assert_read(names, bins=20)


def test_matlab_files_of_crcns(tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("xarray")
    maze = TRIALS[1]
    with h5py.File(tmp_path / "Achilles_10252013_sessInfo.mat", "w") as file:
        file["sessInfo/Position/TwoDLocation"] = XY.T
        file["sessInfo/Position/TimeStamps"] = T[None]
        file["sessInfo/Epochs/MazeEpoch"] = maze[:, None]
        file["sessInfo/Spikes/SpikeTimes"] = np.concatenate(list(SPIKES.values()))[None]
        of_cells = np.repeat(list(SPIKES), [x.size for x in SPIKES.values()])
        file["sessInfo/Spikes/SpikeIDs"] = of_cells.astype(float)[None]
    names = run("CRCNS: MATLAB files of hc-11", tmp_path, monkeypatch)
    mdp = hsr.from_positions(XY, T, n_bins=30, trials=maze[None], tau=2.0)
    np.testing.assert_array_equal(names["mdp"].counts, mdp.counts)
    assert {k: x.size for k, x in names["spikes"].items()} == {
        k: int((x >= maze[0]).sum()) for k, x in SPIKES.items()
    }
