"""`hsr.datasets`: files served by a local server, tiny ones of ours and the original ones."""

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy.io import savemat

import hsr
from hsr.animals import read_paths
from hsr.datasets import fetching
from tests.cases import raises

ORIGINAL = Path(__file__).resolve().parents[3] / "shared/data/original"
NAMES = ("labyrinth", "tartarus", "garvert2017", "wmaze")
CLOSED = "http://127.0.0.1:9"


class Handler(SimpleHTTPRequestHandler):
    """Serve owner/name/commit/path from the folder owner/name/path."""

    def translate_path(self, path):
        owner, name, _, *rest = path.strip("/").split("/")
        return super().translate_path("/".join(["", owner, name, *rest]))

    def log_message(self, *_):
        pass


@pytest.fixture
def serve(monkeypatch, tmp_path):
    """Return a function that serves a folder in place of the host, with an empty store."""
    servers = []

    def start(folder):
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        monkeypatch.setattr(fetching, "HOST", f"http://127.0.0.1:{server.server_port}")

    monkeypatch.setenv("HSR_DATA_DIR", str(tmp_path / "store"))
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def tiny(serve, monkeypatch, tmp_path):
    """Return a function that serves one data set with files of ours."""

    def start(files):
        folder = tmp_path / "served" / "me" / "tiny"
        sums = {path: hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in files}
        source = fetching.Source("Tiny", "me", "none", "me/tiny", "c0ffee", sums)
        monkeypatch.setattr(fetching, "source_of", lambda _: source)
        serve(tmp_path / "served")

    folder = tmp_path / "served" / "me" / "tiny"
    folder.mkdir(parents=True)
    return folder, start


def cells_of(shape, values):
    """Return an array of arrays, as MATLAB's cells are read."""
    cells = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        cells[index] = np.atleast_2d(values.get(index, np.zeros((0, 0))))
    return cells


def test_bouts_of_a_tiny_labyrinth_begin_and_end_at_home(tiny):
    folder, start = tiny
    nodes = [0, 1, 3, 1, 0, 1, 2]  # home, and nodes counted from 1
    text = "".join(f"{i}\t{node}\n" for i, node in enumerate(nodes))
    (folder / "B5-stateseq_Full.csv").write_text(text)
    start(["B5-stateseq_Full.csv"])
    data = hsr.datasets.labyrinth()
    assert [path.tolist() for path in data.paths.states] == [[127, 0, 2, 0, 127], [127, 0, 1]]
    assert data.table["trial"].tolist() == [0, 1]
    assert not data.table["rewarded"].any()


def test_a_tiny_tartarus_has_layouts_and_states_of_open_cells(tiny):
    folder, start = tiny
    marks = np.zeros((10, 10))
    marks[0, 1], marks[0, 9], marks[0, 8] = -1, 1, 2
    savemat(folder / "mazes.mat", {"mazes": cells_of((1, 1), {(0, 0): marks})})
    # Cells are counted from 1: the first one of the second walk is the barrier.
    walks = {(0, 0, 0): [10, 9], (0, 0, 1): [2, 3, 4]}
    success = np.array([[[1.0, 0.0, 0.0, np.nan]]])
    savemat(folder / "rat.mat", {"rat": cells_of((1, 1, 4), walks), "rat_succ": success})
    person = {"humans": cells_of((1, 1, 1), {(0, 0, 0): [10]}), "human_succ": [[[1]]]}
    savemat(folder / "humans.mat", person)
    start(["mazes.mat", "rat.mat", "humans.mat"])
    data = hsr.datasets.tartarus()
    layout = data.layouts[0]
    assert [path.tolist() for path in data.paths.states] == [[8, 7], [1, 2], [], [8]]
    assert layout.cells[data.paths.states[0]].tolist() == [[0, 9], [0, 8]]
    assert layout.cell_of(layout.goals[0]) == (3, 3)
    assert data.arrays["starts"].tolist() == [[8, 7]]
    assert data.table["subject"].tolist() == ["rat 1"] * 3 + ["human 1"]
    assert data.table["success"].tolist() == [1.0, 0.0, 0.0, 1.0]


def test_units_and_frames_of_a_tiny_w_maze(tiny):
    folder, start = tiny
    unit = {"time": np.array([[0.5], [1.5]]), "timerange": 0.0, "meanrate": 0.0}
    tetrodes = np.empty((1, 3), dtype=object)
    tetrodes[0] = [np.zeros((1, 0)), np.array([[unit]], dtype=object), unit]
    savemat(folder / "spikes.mat", {"spikes": tetrodes})
    frames = np.array([(30_000, 3, 4, 0, 0), (60_000, 5, 6, 0, 0)], dtype="<u4,<u2,<u2,<u2,<u2")
    header = b"<Start settings>\nclockrate: 30000\n<End settings>\n"
    (folder / "trajectory.videoPositionTracking").write_bytes(header + frames.tobytes())
    start(["spikes.mat", "trajectory.videoPositionTracking"])
    data = hsr.datasets.wmaze()
    assert {unit: times.tolist() for unit, times in data.units.items()} == {
        0: [0.5, 1.5],
        1: [0.5, 1.5],
    }
    assert data.arrays["t"].tolist() == [1.0, 2.0]
    assert data.arrays["xy"].tolist() == [[3.0, 4.0], [5.0, 6.0]]


def test_tiny_matlab_files_become_arrays_by_name(tiny):
    folder, start = tiny
    savemat(folder / "ROI1.mat", {"roi1": np.ones((2, 3))})
    start(["ROI1.mat"])
    data = hsr.datasets.garvert2017()
    assert data.arrays.keys() == {"roi1"}
    assert data.worlds["graph"].n_states == 12


@pytest.mark.parametrize("name", NAMES)
def test_without_a_network_one_sentence_says_where_to_put_the_file(name, monkeypatch, tmp_path):
    monkeypatch.setenv("HSR_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(fetching, "HOST", CLOSED)
    with pytest.raises(hsr.InputError) as caught:
        getattr(hsr.datasets, name)()
    source = fetching.source_of(name)
    path, digest = next(iter(source.files.items()))
    message = str(caught.value)
    assert message.startswith(f"{CLOSED}/{source.repository}/{source.commit}/")
    assert digest in message
    assert str(tmp_path / source.repository / path) in message
    assert "\n" not in message
    assert caught.value.__suppress_context__


def test_a_file_with_another_checksum_is_refused_and_not_kept(tiny, tmp_path):
    folder, start = tiny
    file = folder / "B5-stateseq_Full.csv"
    file.write_text("0\t0\n1\t1\n")
    start([file.name])
    file.write_text("0\t0\n1\t2\n")
    with raises("SHA-256 differs"):
        hsr.datasets.labyrinth()
    assert not [one for one in (tmp_path / "store").rglob("*") if one.is_file()]


def test_files_are_kept_in_the_folder_of_the_environment(tiny, tmp_path, monkeypatch):
    folder, start = tiny
    (folder / "B5-stateseq_Full.csv").write_text("0\t0\n1\t1\n")
    start(["B5-stateseq_Full.csv"])
    first = hsr.datasets.labyrinth()
    assert (tmp_path / "store/me/tiny/B5-stateseq_Full.csv").exists()
    monkeypatch.setattr(fetching, "HOST", CLOSED)
    assert list(hsr.datasets.labyrinth().paths) == list(first.paths)


def test_sources_are_pinned():
    for name in NAMES:
        source = fetching.source_of(name)
        assert len(source.commit) == 40
        assert {len(digest) for digest in source.files.values()} == {64}


@pytest.mark.skipif(not ORIGINAL.exists(), reason="the original files are not here")
class TestOriginal:
    """Numbers that were counted in the original files by other code."""

    @pytest.fixture(autouse=True)
    def served(self, serve):
        serve(ORIGINAL)

    def test_labyrinth(self):
        data = hsr.datasets.labyrinth()
        sizes = [path.size for path in data.paths.states]
        finished = sum(path[-1] == 127 for path in data.paths.states)
        assert (len(sizes), len(data.paths.subjects), finished) == (3318, 19, 3299)
        assert sum(sizes) - finished == 289_678
        assert data.table.groupby("subject")["rewarded"].first().sum() == 10
        mouse = data.paths.where(subject="D3")
        read = read_paths(mouse.to_frame(), mouse.worlds)  # refuses moves that do not exist
        assert list(read) == list(mouse)
        pandas.testing.assert_frame_equal(read.table, mouse.table)
        assert "Cite: M. Rosenberg" in str(data)
        assert "Licence: MIT" in str(data)

    def test_tartarus(self):
        data = hsr.datasets.tartarus()
        species = data.table["species"].to_numpy()
        walked = np.array([path.size > 0 for path in data.paths.states])
        assert [(walked & (species == one)).sum() for one in ("rat", "human")] == [2151, 4500]
        moves = sum(path.size - 1 for path in data.paths.states if path.size)
        assert moves == 125_236 - 1  # one from a barrier
        assert all(path.size == 0 or path.min() >= 0 for path in data.paths.states)
        read = read_paths(data.paths.to_frame(), data.layouts)
        assert sum(path.size - 1 for path in read.states) == moves
        assert data.arrays["starts"].shape == (25, 10)
        assert "Licence: none stated" in repr(data)

    def test_garvert2017(self):
        data = hsr.datasets.garvert2017()
        assert [data.arrays[f"roi{k}"].shape for k in range(1, 6)] == [(23, 3, 7, 7)] * 5
        graph = np.zeros((12, 12), dtype=bool)
        successors = data.worlds["graph"].successors
        graph[np.arange(12)[:, None], successors] = True
        np.fill_diagonal(graph, False)
        seen = (data.arrays["transition_count"] > 0).any(axis=0)
        assert np.array_equal(seen, graph)

    def test_wmaze(self):
        data = hsr.datasets.wmaze()
        assert len(data.units) == 25
        assert data.units[19].size == 461_464
        assert data.arrays["t"].shape == (261_995,)
        assert (np.diff(data.arrays["t"]) > 0).all()
