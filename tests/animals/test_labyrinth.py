"""The recordings of two mice, and the numbers about them on the site."""

import importlib.util
import json
import re
from functools import cache

import networkx
import numpy as np
import pytest

from hsr.animals import compare_choices
from tests.project.tree import ROOT, text_of


@cache
def results():
    return json.loads(text_of("docs/mice.json"))


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
    stored = results()["A1b"]["hidden"]
    assert found.n_choices == stored["choices"]
    for k, name in enumerate(models):
        np.testing.assert_allclose(
            [found.bits[k], *found.intervals[k]], stored["bits"][name], atol=1e-5
        )


def test_every_number_in_the_text_is_a_computed_one():
    prose = re.sub(r"```.*?```", "", text_of("docs/mice.md"), flags=re.S)
    numbers = {
        f"{abs(x):.3f}"
        for mouse, of_mouse in results().items()
        for analysis in ([] if mouse == "all mice" else of_mouse.values())
        for part in ("bits", "differences")
        for row in analysis[part].values()
        for x in row[:3]
    } | {f"{abs(x):.3f}" for row in results()["all mice"].values() for x in row[:3]}
    assert set(re.findall(r"\d\.\d{3}", prose)) - numbers == set()
