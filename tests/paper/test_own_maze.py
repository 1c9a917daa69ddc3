"""A maze of one's own in the experiments: its runs, its worlds, and what is left out."""

import pytest

import hsr
from hsr import cli
from hsr._base.declaration import changed, paths_of
from hsr.experiments import catalogue
from hsr.experiments.changes import read_file, write_file
from hsr.experiments.runner import jobs_of
from hsr.paper.demo import draw_demo
from hsr.paper.experiments import exploration, mazes
from hsr.paper.exploring.run import maze_of, start_of
from tests.cases import cases, raises

MAZE = """\
###########
#S..#.....#
#......1..#
#...#.....#
##.####.###
#...#.....#
#.........#
#...#...2.#
###########
"""
TWO = {"options.n_options": 2, "options.signs": "positive"}
THREE = TWO | {"options.n_options": 3}
WITH_A_WORLD = [
    name
    for name in catalogue.names()
    if "world.layout" in paths_of(catalogue.find(name).presets["smoke"])
]


@pytest.fixture(scope="module")
def maze(tmp_path_factory):
    path = tmp_path_factory.mktemp("maze") / "my_maze.txt"
    path.write_text(MAZE, encoding="utf-8")
    return str(path)


def setting_of(name, **changes):
    return catalogue.setting_of(catalogue.find(name), "smoke", changes)


@pytest.mark.parametrize("name", WITH_A_WORLD)
def test_every_experiment_with_a_world_runs_in_it(name, maze):
    jobs = jobs_of(catalogue.find(name), setting_of(name, **{"world.layout": maze}))
    assert {job.setting["world"]["layout"] for job in jobs} == {MAZE}
    assert {job.setting["world"]["name"] for job in jobs} == {"my_maze"}


def test_an_agent_explores_it_from_its_start_in_all_panels_but_that_of_sizes(maze):
    experiment = catalogue.find("exploration")
    setting = setting_of("exploration", **{"maze.layout": maze, "steps": 50, "points": 5})
    by_key = exploration.conditions(setting)
    assert {key.size for key in by_key} == {0, *setting.sizes}
    for key, condition in by_key.items():
        assert condition.data()["maze"]["layout"] == ("" if key.size else MAZE)
    own = by_key["HSR-SPIE", 0, True]
    first, second = experiment(own.data(), [0, 1])
    layout, _ = maze_of(own.maze, 0)
    assert layout == hsr.GridLayout.from_text(MAZE)
    assert start_of(layout) == layout.start
    assert first.arrays["coverage"].shape == second.arrays["coverage"].shape == (2, 5)
    with raises("eigenvectors were asked for"):
        jobs_of(experiment, changed(setting, {"options.n_options": 200}))


@pytest.mark.parametrize("name", ["mazes", "spectra"])
def test_a_printed_file_has_the_maze_in_it(name, maze, tmp_path):
    experiment, path = catalogue.find(name), tmp_path / "mine.toml"
    setting = setting_of(name, **{"world.layout": maze})
    path.write_text(write_file(experiment, setting), encoding="utf-8")
    assert MAZE in path.read_text(encoding="utf-8")
    assert experiment.setting("paper", read_file(path)) == setting


@pytest.mark.parametrize("name", catalogue.names())
def test_no_preset_leaves_a_control_out(name):
    experiment = catalogue.find(name)
    setting = experiment.presets["smoke"]
    assert experiment.left_out(setting) == {}
    assert list(experiment.with_controls(setting)) == ["", *experiment.controls]


def test_the_other_mazes_are_replaced_with_start_and_goals(maze):
    cells = {"world.start": [6, 1], "world.goals": [[1, 8], [7, 1]]}
    found = mazes.worlds(setting_of("mazes", **{"world.layout": maze, **cells}))
    (layout, _) = found["my_maze"].build()
    assert list(found) == ["my_maze"]
    assert layout.cell_of(layout.start) == (6, 1)
    assert [layout.cell_of(goal) for goal in layout.goals] == [(1, 8), (7, 1)]
    both = mazes.worlds(setting_of("mazes", layouts=[maze, "loop"]))
    assert [one.layout for one in both.values()] == [MAZE, "loop"]
    assert list(both) == ["my_maze", "loop"]


def test_a_small_maze_has_the_worlds_that_there_are_and_a_note_for_each_control(tmp_path, capsys):
    path = tmp_path / "line.txt"
    path.write_text("S.1.2.\n", encoding="utf-8")
    assert setting_of("online_transfer", **{"world.layout": str(path), **TWO}).worlds == 2
    given = [f"{name}={value}" for name, value in TWO.items()]
    code = cli.main(["list", "online_transfer", "--set", f"world.layout={path}", *given])
    said = capsys.readouterr()
    assert code == 0
    assert said.out.startswith("# 14 runs and ")  # seven agents in two worlds
    notes = said.err.splitlines()
    assert notes[0] == "hsr: note: only 2 worlds qualify in this maze; the preset has 4"
    assert "is left out: " in notes[1]  # other mazes, which would replace it


@cases(
    ("name", "text", "changes", "message"),
    {
        "no marks": ("online_transfer", "....\n....", {}, "has no marked start and goals"),
        "one goal": ("online_transfer", "S..1\n....", TWO, "Mark more goals in 'maze'"),
        "no world": (
            "offline_rows",
            "S1.\n.2.",
            THREE,
            "worlds qualify in 'maze', and 2 are needed",
        ),
        "no rooms": ("predictive_maps", "....\n....", {}, "'maze' has 1 rooms and 0 bottlenecks"),
        "too many options": ("spectra", "....\n....", {"options.n_options": 9}, "9 eigenvectors"),
    },
)
def test_a_maze_that_does_not_serve_is_refused_before_any_run(
    tmp_path, name, text, changes, message
):
    path = tmp_path / "maze.txt"
    path.write_text(text, encoding="utf-8")
    with raises(message):
        jobs_of(catalogue.find(name), setting_of(name, **{"world.layout": str(path), **changes}))


def test_the_demo_refuses_a_maze_without_room_for_its_options(tmp_path):
    path = tmp_path / "tiny.txt"
    path.write_text("S.1", encoding="utf-8")
    with raises("the layout 'tiny' has 3 states in 1 parts"):
        draw_demo(tmp_path, str(path))
    assert isinstance(hsr.grids.MazeSpec(str(path)).build()[0], hsr.GridLayout)
