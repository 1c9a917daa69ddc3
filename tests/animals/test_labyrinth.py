"""The recordings of two mice, and the numbers about them on the site."""

import importlib.util
import json
import re

import networkx
import numpy as np
import pytest

from hsr.animals import compare_choices
from tests.project.tree import ROOT, text_of

PAGE = text_of("docs/mice.md")
RESULTS = json.loads(text_of("docs/mice.json"))


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


def graph_of(world):
    return networkx.Graph(
        (s, int(n))
        for s, (row, there) in enumerate(zip(world.successors, world.possible, strict=True))
        for n in row[there]
    )


def test_the_labyrinth_is_a_tree_of_176_cells(example, data):
    world = example.labyrinth(data)
    graph = graph_of(world)
    assert len(graph) == 176
    assert graph.number_of_edges() == 175
    assert networkx.is_tree(graph)


def test_junctions_and_ends_are_a_binary_tree(walked):
    world, paths, ends = walked
    graph = graph_of(world)
    assert networkx.is_tree(graph)
    assert len(graph) == 128
    assert sorted(dict(graph.degree).values()) == [1] * 65 + [3] * 63
    depth = networkx.single_source_shortest_path_length(graph, world.state_of(0))
    assert {depth[world.state_of(int(end))] for end in ends if end != 0} == {7}
    assert len(paths) == 21
    assert all(path[0] == 0 for path in paths)


def test_the_committed_numbers_are_those_of_the_code(walked):
    world, paths, ends = walked
    models = ["forward", "markov1", "markov2+geodesic"]
    found = compare_choices(world, paths, destinations=ends, models=models)
    stored = RESULTS["A1b"]["hidden"]
    assert found.n_choices == stored["choices"]
    for k, name in enumerate(models):
        np.testing.assert_allclose(
            [found.bits[k], *found.intervals[k]], stored["bits"][name], atol=1e-5
        )


def test_every_number_in_the_text_is_a_computed_one():
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.S)
    numbers = {
        f"{abs(x):.3f}"
        for mouse, of_mouse in RESULTS.items()
        for analysis in ([] if mouse == "all mice" else of_mouse.values())
        for part in ("bits", "differences")
        for row in analysis[part].values()
        for x in row[:3]
    } | {f"{abs(x):.3f}" for row in RESULTS["all mice"].values() for x in row[:3]}
    assert set(re.findall(r"\d\.\d{3}", prose)) - numbers == set()
