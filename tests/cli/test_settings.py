"""From a changed setting to a picture: what is run, drawn, reported, and refused."""

from functools import partial

import numpy as np
import pytest

from hsr import cli
from hsr.cli.arguments import OfSettings
from hsr.cli.changes import changes_of
from hsr.paper import catalogue
from hsr.paper.runner import jobs_of, n_runs
from hsr.paper.store import Record, Store
from hsr.plots import new_figure
from tests.cases import cases

NAME = "offline_rows"  # its runs are curves alone


@pytest.fixture
def hsr(capfd):
    """Return a function that runs a command line: its exit code, and what it said."""

    def run(*arguments):
        code = cli.main([str(word) for word in arguments])
        return code, capfd.readouterr()

    return run


def jobs(name, **changes):
    experiment = catalogue.find(name)
    return jobs_of(experiment, experiment.setting("smoke", changes))


def fill(folder, **changes):
    """Store made-up runs of a changed setting and its controls."""
    store, rng = Store(folder), np.random.default_rng(0)
    for job in jobs(NAME, **changes):
        shape = (job.setting["seeds"], len(job.setting["goals"]), job.setting["episodes"])
        for world in job.seeds:
            record = Record(NAME, job.setting, world, {"steps": rng.integers(10, 60, shape)})
            if record.key not in store:
                store.put(record)
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with made-up runs of a preset with 3 seeds in each world, and with 8 seeds."""
    folder = fill(tmp_path_factory.mktemp("settings") / "store", seeds=3)
    return fill(folder, seeds=8)


@pytest.fixture
def drawn(monkeypatch):
    """The numbers of every figure that is drawn; the figures themselves are empty."""
    numbers, figure = [], catalogue.find(NAME).module("figure")
    monkeypatch.setattr(
        figure, "draw_figure", lambda own, _: numbers.append(own) or new_figure(1.0, 1.0)
    )
    return numbers


def test_every_set_counts_and_takes_precedence_over_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("episodes = 3\nhorizon = 4\nseeds = 5\n", encoding="utf-8")
    given = OfSettings(set=(("episodes=7", "places=marked"), ("a.b=0.2",)), seeds=8, config=path)
    expected = {"episodes": 7, "horizon": 4, "seeds": 8, "places": "marked", "a.b": 0.2}
    assert changes_of(given) == expected


@cases(
    ("name", "change", "same_as"),
    {
        "a maze": ("mazes", "world.layout=corridor", {"layouts": ["corridor"]}),
        "a class of options": ("option_classes", "options.kind=random", {"classes": ["random"]}),
    },
)
def test_a_field_that_the_experiment_sets_itself_is_restricted(
    hsr, tmp_path, name, change, same_as
):
    expected = jobs(name, **same_as)
    assert n_runs(expected) < n_runs(jobs(name))
    code, said = hsr("run", name, "--set", change, "--dry-run", "--store", tmp_path / "store")
    assert (code, said.out) == (0, f"{n_runs(expected)} runs to do, 0 stored\n")


@cases(
    ("arguments", "message"),
    {
        "one size": (
            ("exploration_online", "--set", "maze.size=11"),
            "exploration_online sets maze.size itself, to each of sizes; change sizes instead",
        ),
        "both": (
            ("mazes", "--set", "world.layout=loop", 'layouts=["loop"]'),
            "world.layout and layouts are both changed; mazes sets world.layout itself",
        ),
        "probability": ((NAME, "--set", "agent.epsilon=2"), "agent.epsilon is 2; input should be"),
        "seeds": ((NAME, "--seeds", "-1"), "seeds is -1; input should be greater than or equal to"),
        "episodes": ((NAME, "--set", "episodes=0"), "episodes is 0; input should be greater than"),
        "rates": ((NAME, "--set", "rates=[2.0]"), "rates.0 is 2.0; input should be less than"),
        "goal": (("gpi", "--set", "goal=3"), "goal 3 is to be learned; worlds have the goals 1 to"),
        "class": (("option_classes", "--set", 'classes=["eigne"]'), "classes.kind is 'eigne'"),
        "suggestion": ((NAME, "--set", "epsilon=0.1"), "did you mean agent.epsilon?"),
        "misspelt": ((NAME, "--set", "epsilom=0.1"), "did you mean agent.epsilon?"),
        "group": ((NAME, "--set", "agent=0.1"), "did you mean agent.learning_rate"),
    },
)
def test_a_setting_is_refused_once_also_by_a_dry_run(hsr, tmp_path, arguments, message):
    code, said = hsr("run", *arguments, "--dry-run", "--store", tmp_path / "store")
    assert (code, said.out) == (2, "")
    assert said.err.startswith("hsr: error: ")
    assert message in said.err
    assert said.err.count("\n") == 1
    assert not (tmp_path / "store").exists()


def test_a_change_on_which_no_run_depends_is_named(hsr, store):
    changes = ("criterion.factor=2", "maps.stopping_state=counted_twice")
    code, said = hsr("run", NAME, "--dry-run", "--store", store, "--set", *changes)
    assert code == 0
    assert "no run of offline_rows depends on criterion.factor" in said.err
    assert "stopping_state" not in said.err


@pytest.mark.parametrize("n_seeds", [3, 8])
def test_a_run_ends_with_the_figure_of_what_was_run(hsr, store, drawn, tmp_path, n_seeds):
    code, said = hsr("run", NAME, "--store", store, "--out", tmp_path, "--seeds", n_seeds)
    assert code == 0
    path = tmp_path / f"{NAME}_smoke_seeds={n_seeds}.png"
    assert said.out.splitlines()[-1] == f"wrote: {path}"
    assert path.read_bytes().startswith(b"\x89PNG")
    (numbers,) = drawn
    assert {x.shape[:2] for x in numbers.learned.steps.values()} == {(4, n_seeds)}


def test_a_report_shows_the_runs_that_it_was_asked_for_and_names_the_others(
    hsr, store, drawn, tmp_path
):
    code, said = hsr("report", "--store", store, "--seeds", 8, "--out", tmp_path)
    assert code == 0
    assert said.out == f"wrote: {tmp_path}/report_smoke_seeds=8.html\n"
    page = (tmp_path / "report_smoke_seeds=8.html").read_text(encoding="utf-8")
    assert "worlds 0-3, 8 seeds each. " in page
    assert "Get it with <code>hsr run offline_rows" in page
    assert "<code>hsr run offline_rows --preset smoke --seeds 8</code>" in page
    assert "drawing 1 of 1: offline_rows\n" in said.err
    assert "also in the store, not in the report: offline_rows: 16 runs with seeds=3" in said.err
    assert "<li>offline_rows: 16 runs with seeds=3</li>" in page


def test_a_report_without_evidence_says_what_the_store_holds(hsr, store, tmp_path):
    code, said = hsr("report", "--store", store, "--set", "episodes=9", "--out", tmp_path)
    assert (code, said.out) == (2, "")
    assert "has all runs of no experiment at preset 'smoke' and these settings" in said.err
    assert "offline_rows: 32 runs with episodes=15" in said.err
    assert list(tmp_path.iterdir()) == []


def test_reports_of_two_stores_stand_in_their_stores(hsr, drawn, tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "_NAMES", (NAME,))
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "two"):
        fill(folder, episodes=9)
        code, said = hsr("reproduce", "--store", folder, "--set", "episodes=9")
        assert code == 0
        assert said.out.endswith(f"wrote: {folder}/report/report_smoke_episodes=9.html\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_reproduce_can_be_tried_without_running(hsr, tmp_path):
    changes = {"episodes": 9, "agent.epsilon": 0.2, "seeds": 3}
    settings = catalogue.settings_of("smoke", changes)
    expected = sum(n_runs(jobs_of(one, setting)) for one, setting, _ in settings)
    reproduce = partial(hsr, "reproduce", "--store", tmp_path / "store", "--dry-run")
    code, said = reproduce("--set", "episodes=9", "agent.epsilon=0.2", "--seeds", 3)
    assert (code, said.out) == (0, f"{expected:,} runs to do, 0 stored\n")
    code, said = reproduce("--set", "epsiode=9")
    assert (code, said.out) == (2, "")
    assert "there is no setting 'epsiode'; did you mean episodes" in said.err
    assert "needs the address" in reproduce("--engine", "dask")[1].err
