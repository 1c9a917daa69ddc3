"""The recordings of two mice, and the committed results about them."""

import importlib.util
import json

import networkx
import numpy as np
import pytest

from hsr.animals import compare_choices
from tests.project.tree import ROOT, text_of


@pytest.fixture(scope="module")
def example():
    """Return the module of the example."""
    path = ROOT / "examples/labyrinth_mice.py"
    spec = importlib.util.spec_from_file_location("labyrinth_mice", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(example):
    return np.load(example.DATA)


@pytest.fixture(scope="module")
def walked(example, data):
    return example.walks(data, "A1b")


def graph_of(mdp):
    return networkx.Graph(
        (s, int(n))
        for s, (row, there) in enumerate(zip(mdp.successors, mdp.possible, strict=True))
        for n in row[there]
    )


def test_the_labyrinth_is_a_tree_of_176_cells(example, data):
    mdp = example.labyrinth(data)
    graph = graph_of(mdp)
    assert len(graph) == 176
    assert graph.number_of_edges() == 175
    assert networkx.is_tree(graph)


def test_junctions_and_ends_are_a_binary_tree(walked):
    mdp, paths, ends = walked
    graph = graph_of(mdp)
    assert networkx.is_tree(graph)
    assert len(graph) == 128
    assert sorted(dict(graph.degree).values()) == [1] * 65 + [3] * 63
    depth = networkx.single_source_shortest_path_length(graph, mdp.state_of(0))
    assert {depth[mdp.state_of(int(end))] for end in ends if end != 0} == {7}
    assert len(paths) == 21
    assert all(path[0] == 0 for path in paths)


def test_the_committed_numbers_are_those_of_the_code(walked):
    mdp, paths, ends = walked
    models = ["forward", "markov1", "markov2+geodesic"]
    found = compare_choices(mdp, paths, destinations=ends, models=models)
    stored = json.loads(text_of("docs/mice.json"))["A1b"]["hidden"]
    assert found.n_choices == stored["choices"]
    for k, name in enumerate(models):
        np.testing.assert_allclose(
            [found.bits[k], *found.intervals[k]], stored["bits"][name], atol=1e-5
        )
