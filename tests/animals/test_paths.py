"""`read_paths`: a table of visits becomes paths through worlds, or one error with its place."""

import pandas
import pytest

import hsr
from hsr.animals import compare_choices, headings, read_paths
from tests.cases import cases, raises

GOOD = {"subject": list("AAABBB"), "trial": [1] * 6, "state": [0, 1, 2, 2, 1, 0]}
CELLS = {"subject": ["A"] * 3, "trial": [1] * 3, "x": [0, 1, 2], "y": [0, 0, 0]}


def line():
    return hsr.GridLayout.from_text("...")


def wall():
    return hsr.GridLayout.from_text(".#.\n...")


def test_paths_survive_a_csv_file(tmp_path):
    frame = pandas.DataFrame(GOOD | {"session": [3] * 6, "success": [1] * 3 + [0] * 3})
    frame["time"] = range(6)
    paths = read_paths(frame, line())
    assert [path.tolist() for path in paths.states] == [[0, 1, 2], [2, 1, 0]]
    assert list(paths.table.columns) == ["subject", "session", "world", "trial", "success"]
    paths.to_frame().to_csv(tmp_path / "paths.csv", index=False)
    again = read_paths(tmp_path / "paths.csv", line())
    assert list(again) == list(paths)
    pandas.testing.assert_frame_equal(again.table, paths.table)


def test_worlds_may_differ_between_trials_and_be_seen_in_the_moves():
    table = {
        "subject": ["A"] * 5,
        "trial": [1] * 5,
        "state": list("abcab"),
        "maze": [1, 1, 1, 2, 2],
    }
    paths = read_paths(table, columns={"world": "maze"})
    assert list(paths) == [["a", "b", "c"], ["a", "b"]]
    assert [world.n_states for world in paths.worlds.values()] == [3, 2]
    assert paths.where(world=2).world.labels == ("a", "b")
    # b has two neighbours, and the way back is possible.
    world = paths.worlds[1]
    assert sorted(world.successors[world.state_of("b")].tolist()) == [0, 2]


def test_cells_of_a_layout():
    table = {"subject": ["A"] * 3, "trial": [1] * 3, "x": [0, 0, 1], "y": [0, 1, 1]}
    assert read_paths(table, wall()).states[0].tolist() == [0, 2, 3]
    assert read_paths(table)[0] == [(0, 0), (0, 1), (1, 1)]


def test_choices_of_a_subject_are_compared_as_those_of_lists():
    walk = list("abcbabcdcbabcd")
    table = {"subject": ["A"] * 56 + ["B"] * 14, "trial": [i // 14 for i in range(70)]}
    paths = read_paths(table | {"state": walk * 5})
    own, settings = paths.where(subject="A"), {"models": ["forward", "geodesic"], "blocks": 2}
    found = compare_choices(paths.world, own, **settings)
    assert found.bits.tolist() == compare_choices(paths.world, [walk] * 4, **settings).bits.tolist()
    known = compare_choices(paths.world, own, heading=headings(own, ["d"]), **settings)
    assert known.n_choices < found.n_choices


def test_empty_paths_have_no_choices():
    paths = read_paths({"subject": ["A"] * 40, "trial": [0] * 20 + [1] * 20, "state": "abcb" * 10})
    table = paths.table.iloc[[0, 1, 1]].reset_index(drop=True)
    states = (*paths.states, paths.states[0][:0])
    longer = hsr.animals.Paths(table, states, paths.worlds)
    settings = {"models": ["forward"], "blocks": 2}
    found = [compare_choices(paths.world, one, **settings) for one in (paths, longer)]
    assert found[0].n_choices == found[1].n_choices
    way = headings(longer, ["c"])  # known for two moves of each path, the second one a choice
    assert compare_choices(paths.world, longer, heading=way, **settings).n_choices == 2


BAD = {
    "no table": (3, None, "table is 3; it must be a data frame"),
    "columns of two lengths": (GOOD | {"trial": [1]}, None, "columns of the same length"),
    "no rows": ({"subject": [], "trial": [], "state": []}, None, "no rows"),
    "no file": ("no.csv", None, "no.csv: .*must be a CSV file"),
    "no state": ({"subject": "A", "trial": [1]}, None, "no column 'state'"),
    "no value": (GOOD | {"state": [0, 1, None, 2, 1, 0]}, line(), "row 2 .*'state'.* missing"),
    "no subject": (GOOD | {"subject": [None, *"AABBB"]}, line(), "row 0 .*'subject'.* missing"),
    "a position": (CELLS | {"x": [0, 0.5, 1]}, None, "row 1 .*'x': 0.5 is no integer.*positions"),
    "a word as x": (CELLS | {"x": [0, "b", 1]}, None, "row 1 .*'x': 'b' is no integer"),
    "a state outside": (GOOD | {"state": [0, 1, 3, 2, 1, 0]}, line(), "row 2 .*'state': .*0..2"),
    "a wall": (CELLS, wall(), "row 1 .*'x, y'"),
    "a jump": (GOOD | {"state": [0, 1, 2, 2, 0, 0]}, line(), "row 4 .*: state 0 cannot follow"),
    "another world": (GOOD | {"world": list("mmmnnn")}, {"m": line()}, "row 3 .*'world': 'n' is"),
    "no world": (GOOD, "four_rooms", "is 'four_rooms'; it must be a GridLayout"),
    "a trial again": (GOOD | {"subject": list("AABBAA")}, line(), "row 4 .*'trial': trial 1 goes"),
}  # fmt: skip


@cases(("table", "worlds", "words"), BAD)
def test_one_error_names_column_and_row(table, worlds, words):
    with raises(words):
        read_paths(table, worlds)


def test_errors_name_lines_of_a_file(tmp_path):
    file = tmp_path / "paths.csv"
    file.write_text("subject,trial,state\nA,1,0\n\nA,1,\n")
    with raises(r"paths.csv, line 4, column 'state'"):
        read_paths(file)


def test_wrong_names_of_columns_and_selections():
    for columns, words in (({"animal": "x"}, "columns names"), ({"subject": "x"}, "no column 'x'")):
        with raises(words):
            read_paths(GOOD, columns=columns)
    two = read_paths(GOOD | {"world": list("mmmnnn")})
    with raises("no column 'animal'"):
        two.where(animal="A")
    with raises("no path has subject='C'"):
        two.where(subject="C")
    with raises("through 2 worlds"):
        _ = two.world
    with raises("go through 2 worlds"):
        compare_choices(two.worlds["m"], two)


def test_paths_cannot_be_changed():
    paths = read_paths(GOOD)
    with pytest.raises(ValueError, match="read-only"):
        paths.states[0][0] = 1
    with pytest.raises(AttributeError):
        paths.states = ()
