"""Grid worlds as data: complete in themselves, whatever the layout was read from."""

from dataclasses import asdict, replace

import pytest

import hsr
from tests.cases import cases, raises

TEXT = "#####\n#S.1#\n#..2#\n#####\n"


@pytest.fixture
def maze(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_file_is_kept_as_text_with_its_name(maze):
    spec = hsr.grids.MazeSpec(str(maze), slip=0.1)
    assert (spec.layout, spec.name, spec.slip) == (TEXT, "mine", 0.1)
    maze.write_text("S.....", encoding="utf-8")
    layout, mdp = spec.build()
    assert layout == hsr.GridLayout.from_text(TEXT)
    assert layout.name == "mine"
    assert mdp.n_states == 6


def test_the_folder_of_a_file_does_not_matter_but_its_text_does(maze, tmp_path):
    other = tmp_path / "deep" / "mine.txt"
    other.parent.mkdir()
    for text in (TEXT, TEXT.replace("2", ".")):
        other.write_text(text, encoding="utf-8")
        same = hsr.grids.MazeSpec(str(other)) == hsr.grids.MazeSpec(str(maze))
        assert same == (text == TEXT)


def test_a_specification_can_be_made_again_from_its_fields(maze):
    spec = hsr.grids.MazeSpec(str(maze), goals=[[2, 1]])
    assert hsr.grids.MazeSpec(**asdict(spec)) == spec == replace(spec, slip=0.0)
    assert hash(hsr.grids.MazeSpec(**asdict(spec))) == hash(spec)


def test_start_and_goals_replace_those_that_are_marked(maze):
    layout, _ = hsr.grids.MazeSpec(str(maze), start=(2, 2), goals=((1, 1),)).build()
    assert layout.to_text() == "#####\n#1..#\n#.S.#\n#####"
    layout, _ = hsr.grids.MazeSpec("four_rooms", start=[5, 5]).build()
    assert layout.cell_of(layout.start) == (5, 5)
    assert layout.goals == hsr.load_layout("four_rooms").goals
    assert layout.name == "four_rooms"


def test_a_name_stays_a_name():
    assert asdict(hsr.grids.MazeSpec("loop"))["layout"] == "loop"
    assert hsr.grids.MazeSpec("loop").build()[0] is hsr.load_layout("loop")


@cases(
    ("fields", "message"),
    {
        "name": ({"layout": "four_room"}, "did you mean 'four_rooms'"),
        "file": ({"layout": "absent.txt"}, "absent.txt: there is no such file"),
        "type": ({"layout": 3}, "layout is of type int; it must be text"),
        "wall": ({"start": (0, 0)}, r"cell \(0, 0\) is a wall"),
        "cell": ({"start": 7}, r"start is 7; it must be \[row, column\]"),
        "goals": ({"goals": 7}, r"goals is 7; it must be a list of \[row, column\]"),
        "goal": ({"goals": [7]}, r"goals\[0\] is 7; it must be \[row, column\]"),
    },
)
def test_what_is_no_maze_is_refused_when_it_is_made(fields, message):
    with raises(message):
        hsr.grids.MazeSpec(**fields)
