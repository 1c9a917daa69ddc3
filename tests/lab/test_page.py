"""`hsr lab` and `hsr.widget` write a maze and maps into the page; neither needs Node here."""

import base64
import html
import json
import os
import re
import webbrowser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import hsr
from hsr import cli
from hsr.lab import page
from hsr.lab.page import declared
from tests.cases import raises

BUILT = '<html><script type="application/json" id="embedded">{}</script><script>1</script></html>'


@pytest.fixture(autouse=True)
def built(tmp_path, monkeypatch):
    """A page that stands for the built one, as an installed package has it."""
    path = tmp_path / "static.html"
    path.write_text(BUILT, encoding="utf-8")
    monkeypatch.setattr(page, "_FILE", path)
    monkeypatch.setattr(page, "_WEB", tmp_path / "no web")
    return path


def embedded(text):
    """Return the data in a page."""
    start = '<html><script type="application/json" id="embedded">'
    data = text.removeprefix(start).removesuffix("</script><script>1</script></html>")
    assert "<" not in data
    return json.loads(data)


def test_the_page_is_written_with_the_maze_in_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("--out only writes"))
    out = tmp_path / "lab.html"
    assert cli.main(["lab", "loop", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"wrote: {out}\n"
    data = embedded(out.read_text(encoding="utf-8"))
    assert data == {
        "maze": hsr.load_layout("loop").to_text(),
        "discount": None,
        "docs": "",
        "reward": None,
        "maps": [],
    }


def test_without_out_the_page_is_opened(tmp_path, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    maze = tmp_path / "maze.txt"
    maze.write_text("S.1\n..2\n")
    assert cli.main(["lab", str(maze)]) == 0
    path = Path(capsys.readouterr().out.removeprefix("wrote: ").strip())
    assert opened == [path.as_uri()]
    assert embedded(path.read_text(encoding="utf-8"))["maze"] == "S.1\n..2"


def test_a_map_from_a_file_is_in_the_page(tmp_path):
    layout = hsr.load_layout("loop")
    M = hsr.successor_representation(hsr.grid_mdp(layout, discount=0.95))
    hsr.save(M, tmp_path / "exact.npz")
    out = tmp_path / "lab.html"
    given = ["--map", str(tmp_path / "exact.npz"), "--out", str(out)]
    assert cli.main(["lab", "loop", *given]) == 0
    data = embedded(out.read_text(encoding="utf-8"))
    (shown,) = data["maps"]
    assert (data["discount"], shown["discount"], shown["name"]) == (0.95, 0.95, "exact")
    assert shown["maze"] == data["maze"] == layout.to_text()
    values = np.frombuffer(base64.b64decode(shown["f64"]), dtype="<f8")
    np.testing.assert_array_equal(values, M.toarray().ravel())
    mdp = hsr.grid_mdp(layout, discount=0.95)
    loaded = eval(shown["code"], {"hsr": hsr, "mdp": mdp})
    np.testing.assert_array_equal(loaded.toarray(), M.toarray())


def test_maps_and_rewards_of_a_maze_with_three_goals_are_shown_with_two():
    maze = "S..1\n.2.3"
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text(maze), discount=0.9)
    (task,) = hsr.reward_tasks(mdp, 1, seed=0)
    M = hsr.successor_representation(mdp)
    shown = hsr.widget(maze, maps={"exact": M}, task=task)._repr_html_()
    data = embedded(html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1]))
    assert data["maze"] == data["maps"][0]["maze"] == "S..1\n.2.."


def test_the_rewards_of_a_task_are_in_the_page(tmp_path):
    mdp = hsr.grid_mdp("loop", discount=0.9)
    (task,) = hsr.reward_tasks(mdp, 1, kind="smooth", seed=0)
    hsr.save(task, tmp_path / "task.npz")
    out = tmp_path / "lab.html"
    assert cli.main(["lab", "loop", "--task", str(tmp_path / "task.npz"), "--out", str(out)]) == 0
    assert embedded(out.read_text(encoding="utf-8"))["reward"] == task.reward.tolist()
    shown = html.unescape(hsr.widget("loop", task=task)._repr_html_())
    assert json.dumps(task.reward.tolist()) in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["five_rooms"], "neither a file nor a built-in maze"),
        (["four_rooms", "--map", "{}/map.npz"], "104 states|another|fingerprint"),
        (["loop", "--map", "{}/options.npz"], "holds OptionSet; the lab shows files of maps"),
        (["four_rooms", "--task", "{}/task.npz"], "made for another MDP"),
        (["loop", "--task", "{}/options.npz"], "draws a RewardTask with rewards per state"),
        (["{}/large.txt"], "62 x 2 cells; the lab shows mazes of at most 61 x 61"),
        (["--out", "{}"], "is not a file"),
        (["--out", "{}/no/lab.html"], "cannot be written"),
    ],
)
def test_what_does_not_fit_is_one_line(tmp_path, capsys, arguments, words):
    mdp = hsr.grid_mdp(hsr.load_layout("loop"), discount=0.9)
    hsr.save(hsr.successor_representation(mdp), tmp_path / "map.npz")
    hsr.save(hsr.point_options(mdp, targets=[3]), tmp_path / "options.npz")
    hsr.save(hsr.reward_tasks(mdp, 1, seed=0)[0], tmp_path / "task.npz")
    (tmp_path / "large.txt").write_text("..\n" * 62)
    assert cli.main(["lab", *(one.format(tmp_path) for one in arguments)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.search(words, said.err)
    assert said.err.count("\n") == 1


def test_a_package_without_the_page_says_how_to_get_it(built, capsys, monkeypatch):
    built.unlink()
    assert cli.main(["lab"]) == 2
    assert "takes Node (https://nodejs.org)" in capsys.readouterr().err
    monkeypatch.setattr(page, "_WEB", Path(__file__).parent)
    monkeypatch.setattr(page.shutil, "which", lambda name: None)
    with raises("takes Node"):
        page.build()


def test_a_clone_builds_the_page_when_it_is_missing_and_when_its_sources_are_newer(
    built, tmp_path, monkeypatch
):
    web = tmp_path / "web"
    (web / "src").mkdir(parents=True)
    (web / "node_modules").mkdir()
    (web / "build.mjs").write_text("")
    built.unlink()
    ran = []

    def run(command, **how):
        ran.append(command)
        built.write_text(BUILT, encoding="utf-8")
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(page, "_WEB", web)
    monkeypatch.setattr(page.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(page.subprocess, "run", run)
    for _ in range(2):
        page.page_with(hsr.load_layout("loop"))
    assert ran == [("/bin/node", "build.mjs")]
    assert json.loads((web / "src/declared.json").read_text()) == declared()
    (web / "src/new.ts").write_text("")
    os.utime(web / "src/new.ts", (2e9, 2e9))
    page.page_with(hsr.load_layout("loop"))
    assert len(ran) == 2


def test_a_notebook_shows_the_page_in_a_frame():
    M = np.eye(5)
    view = hsr.widget("S.1\n..#", discount=0.8, maps={"mine": M}, height=400)
    (source,) = re.findall(r'<iframe srcdoc="([^"]*)"', view._repr_html_())
    data = embedded(html.unescape(source))
    assert (data["maze"], data["discount"]) == ("S.1\n..#", 0.8)
    assert (data["maps"][0]["name"], data["maps"][0]["code"]) == ("mine", "mine")
    assert "height: 400px" in view._repr_html_()
    for layout in ("loop", hsr.load_layout("loop")):
        shown = html.unescape(hsr.widget(layout)._repr_html_())
        assert json.dumps(hsr.load_layout("loop").to_text()) in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"layout": "five_rooms"}, "four_rooms"),
        ({"layout": 7}, "int"),
        ({"discount": 1.0}, "discount"),
        ({"task": hsr.GoalTask(0, 3)}, "task is GoalTask.*draws a RewardTask with rewards per"),
        ({"maps": {"mine": np.eye(3)}}, r"'mine' has shape \(3, 3\); this maze has 104 states"),
        ({"layout": "." * 40, "maps": {"mine": np.eye(40)}}, "maps of mazes of at most 31 x 31"),
    ],
)
def test_what_a_widget_cannot_show_is_refused_in_words(arguments, words):
    with raises(words):
        hsr.widget(**arguments)


def test_the_page_knows_what_the_library_declares():
    told = declared()
    assert json.loads(json.dumps(told)) == told
    assert told["mazes"]["loop"] == hsr.load_layout("loop").to_text()
    assert list(told["option_kinds"]) == list(hsr.OPTION_KINDS)
    for kind in told["option_kinds"].values():
        assert set(kind["settings"]) <= set(told["option_settings"])
    assert told["specifications"]["LinearQ"]["epsilon"] == hsr.LinearQ().epsilon
    assert list(told["representations"]) == list(hsr.REPRESENTATIONS)
