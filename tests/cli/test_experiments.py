"""The commands that run experiments and read stores, walked as a user walks them."""

import json
import re
import shutil

import pytest

from hsr import cli
from hsr.experiments import catalogue, load
from hsr.experiments.engine.work import module_at
from hsr.experiments.store import ResultTable, Store, source_version

SMALL = ("--set", "episodes=3", "horizon=50", "rates=[0.01]", "--worlds", "2", "--seeds", "1")
RUN = ("run", "online_transfer", *SMALL, "--workers", "1")
OWN_EXPERIMENT = """
import numpy as np
from hsr.experiments import Claim, Experiment, Pair

def run(condition, world):
    rng = np.random.default_rng(world)
    return {"steps": condition.factor * rng.uniform(1, 2, condition.seeds)}

EXPERIMENT = Experiment.from_function(
    "factors", "twice as many steps", run,
    setting={"worlds": 8, "slip": 0.1},
    conditions={"slow": {"factor": 2.0}, "fast": {"factor": 1.0}},
    claims=[Claim("faster", "Fast is faster.", [Pair("slow", "fast", +1, "steps")])],
)
"""
OWN_MAZE = "S...#....\n....#.1..\n.........\n....#...2\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with one small setting, without controls; tests that write copy it."""
    folder = tmp_path_factory.mktemp("made") / "store"
    assert cli.main([*RUN, "--no-controls", "--store", str(folder)]) == 0
    return folder


@pytest.fixture
def store(made, tmp_path):
    return shutil.copytree(made, tmp_path / "store")


def test_list_names_every_experiment_and_the_runs_of_its_presets(hsr):
    lines = hsr("list")[1].out.splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == catalogue.names()
    (smoke, paper) = lines[lines.index(next(x for x in lines if x[:9] == "online_tr")) + 1 :][:2]
    assert smoke == "    smoke    40 runs and 130 of controls; 4 worlds x 2 seeds"
    assert re.fullmatch(
        r"    paper    [\d,]+ runs and [\d,]+ of controls; \d+ worlds x \d+ seeds", paper
    )


def test_a_run_says_its_size_before_it_starts_and_is_found_again(hsr, tmp_path):
    folder = tmp_path / "store"
    code, said = hsr(*RUN, "--store", folder)
    assert code == 0
    # Ten agents in two worlds; what is tuned in a third world says what else is run.
    assert said.err.startswith("20 runs and 50 of controls\n")
    finished = re.match(r"(\d+) runs finished, 0 already stored, 0 failed", said.out)
    assert int(finished[1]) > 70
    digest = ResultTable(Store(folder).records()).digest()
    code, said = hsr(*RUN, "--no-controls", "--store", folder)
    assert said.err.startswith("20 runs\n")
    assert said.out.startswith("0 runs finished, 20 already stored")
    assert ResultTable(Store(folder).records()).digest() == digest
    table = load(folder).to_pandas()
    assert table.groupby("agent").size().unique().tolist() == [2 * 1 * 2 * 3]
    assert set(load(folder).to_pandas(controls=True)["control"]) > {"", "tuned step sizes"}


def test_a_ledger_reads_a_store_without_repeated_settings(hsr, store):
    code, said = hsr("ledger", "--store", store)
    assert code == 0
    banner, *lines = said.out.splitlines()
    assert banner.startswith("Nothing here is evidence. No test of 2 worlds can be significant")
    own = [claim.id for claim in catalogue.find("online_transfer").claims]
    assert [line[16:].split()[0] for line in lines] == own
    assert "setting 1: online_transfer (smoke, " in said.err
    assert f"made by: 20 runs by {source_version()}\n" in said.err
    rows = json.loads(hsr("ledger", "--json", "--store", store)[1].out)
    assert [row["claim"] for row in rows] == own


def test_several_settings_are_numbered_and_one_can_be_chosen(hsr, store):
    run = ("run", "online_transfer", *SMALL, "--no-controls", "--workers", 1, "--store", store)
    assert hsr(*run, "--set", "agent.epsilon=0.2")[0] == 0
    code, said = hsr("ledger", "--store", store)
    assert code == 0
    assert re.search(r"^setting 2: online_transfer \(smoke, .*agent\.epsilon=0\.2", said.err, re.M)
    assert re.search(r"^not shown \(--setting 1\): setting 1: online_transfer", said.err, re.M)
    first = hsr("ledger", "--store", store, "--setting", 1)[1]
    assert "\nsetting 1: " in f"\n{first.err}"
    assert "not shown (--setting 2)" in first.err
    code, said = hsr("ledger", "--store", store, "--setting", 7)
    assert code == 2
    assert "has no complete setting 7: 1: online_transfer" in said.err


def test_a_report_shows_what_is_there(hsr, store):
    code, said = hsr("report", "--store", store)
    assert code == 0
    path = store / "report" / "report.html"
    assert said.out == f"wrote: {path}\n"
    page = path.read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 1
    assert "predictive_maps" not in page
    assert "hsr run online_transfer --preset smoke --worlds 2 --seeds 1 --set" in page


def test_an_own_maze_is_run_drawn_and_judged(hsr, tmp_path):
    """It has room for few options, and no experiment that was not run is asked about it."""
    maze, folder = tmp_path / "mine.txt", tmp_path / "store"
    maze.write_text(OWN_MAZE)
    changes = (f"world.layout={maze}", "options.n_options=4", "places=marked")
    code, said = hsr(*RUN, "--set", *changes, "--store", folder, "--no-controls")
    assert code == 0, said.err
    code, said = hsr("ledger", "--store", folder)
    assert code == 0
    assert "online-stability" in said.out
    assert "world.layout=..." in said.err
    assert hsr("report", "--store", folder)[0] == 0


def test_an_experiment_of_an_own_file_is_run_judged_and_run_again_when_it_changes(hsr, tmp_path):
    file, folder = tmp_path / "factors.py", tmp_path / "store"
    file.write_text(OWN_EXPERIMENT)
    words = ("run", file, "--worlds", 8, "--set", "slip=0.2", "--workers", 1, "--store", folder)
    code, said = hsr(*words)
    assert code == 0, said.err
    assert "faster: reproduced. " in said.out
    code, said = hsr("ledger", "--store", folder)
    assert re.search(r"^reproduced +faster +", said.out, re.M)
    assert "setting 1: factors (smoke, worlds=8, slip=0.2), 16 runs" in said.err
    table = load(folder).to_pandas()
    means = table.groupby("agent")["steps"].mean()
    assert means["slow"] == pytest.approx(2.0 * means["fast"])
    assert "# 16 runs" in hsr("list", file, "--set", "worlds=8")[1].out
    file.write_text(OWN_EXPERIMENT.replace("2.0", "3.0"))
    module_at.cache_clear()  # as in another process
    code, said = hsr(*words)
    assert "16 runs finished, 0 already stored" in said.out
    assert re.search(r"^8 runs by hsr .*, factors.py .*: they are run again", said.err, re.M)
    file.unlink()
    module_at.cache_clear()
    code, said = hsr("ledger", "--store", folder)
    assert code == 2
    assert f"it holds runs of {file}, which cannot be analysed" in said.err
    assert len(load(folder).to_pandas()) > 0


def test_a_damaged_run_is_named_and_the_same_command_repairs_it(hsr, store):
    with Store(store)._connected() as db:
        db.execute("UPDATE runs SET seconds = seconds + 1 WHERE rowid = 3")
    code, said = hsr("ledger", "--store", store)
    assert code == 2
    assert "is damaged in " in said.err
    code, said = hsr(*RUN, "--no-controls", "--store", store)
    assert (code, said.out.split(",")[0]) == (0, "1 run finished")
    assert hsr("ledger", "--store", store)[0] == 0


def test_a_second_driver_gets_one_sentence(hsr, store):
    with Store(store).driving():
        code, said = hsr(*RUN, "--store", store)
    assert code == 2
    assert "hsr: error: another process is adding runs to " in said.err


def test_an_interrupted_run_resumes(hsr, made, tmp_path, monkeypatch):
    """Ctrl-C arrives after the third run."""
    folder, put = tmp_path / "store", Store.put_all

    def interrupted(self, records):
        put(self, records)
        if len(self) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "put_all", interrupted)
    words = (*RUN, "--no-controls", "--store", folder)
    code, said = hsr(*words)
    assert code == 130
    assert said.err.endswith("hsr: interrupted; run the same command again to resume\n")
    monkeypatch.undo()
    assert hsr("ledger", "--store", folder)[0] == 2
    code, said = hsr(*words)
    assert (code, said.out.split(", 0 failed")[0]) == (0, "17 runs finished, 3 already stored")
    digests = [ResultTable(Store(one).records()).digest() for one in (folder, made)]
    assert digests[0] == digests[1]


def test_reproduce_runs_everything_and_writes_one_report(hsr, tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "_NAMES", ("online_transfer", "spectra"))
    folder = tmp_path / "store"
    few = ("--worlds", 2, "--set", "episodes=3", "horizon=50", "rates=[0.01]", "seeds=1")
    code, said = hsr("reproduce", "--store", folder, "--workers", 1, *few)
    assert code == 0, said.err
    assert said.out.endswith(f"wrote: {folder / 'report' / 'report.html'}\n")
    assert {one.experiment for one in Store(folder).asked()} == {"online_transfer", "spectra"}
    code, said = hsr("reproduce", "--store", folder, "--set", "epsiode=9")
    assert code == 2
    assert "there is no setting 'epsiode'; did you mean episodes" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("online_tranfer",), "did you mean online_transfer"),
        (("figure2",), "did you mean online_transfer, online_options?"),
        (("fig_s3",), "did you mean mazes?"),
        (("nothing_like_it",), "there are predictive_maps, online_transfer"),
        (("online_transfer", "--set", "gamma=0.9"), "did you mean world.discount?"),
        (("online_transfer", "--preset", "papers"), "did you mean paper"),
        (("online_transfer", "--set", "episodes"), "name=value"),
        (("online_transfer", "--workers", "0"), "workers is 0"),
        (("online_transfer", "--worlds", "0"), "worlds is 0"),
        (("spectra", "--seeds", "3"), "there is no setting 'seeds'; did you mean"),
        (("online_transfer", "--config", "absent.toml"), "absent.toml cannot be read"),
        (("../../etc/passwd",), "there is no experiment"),
        (("absent.py",), "there is no"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_is_run(hsr, tmp_path, arguments, message):
    code, said = hsr("run", *arguments, "--store", tmp_path / "store")
    assert (code, said.out) == (2, "")
    assert message in said.err
    assert not (tmp_path / "store" / "report").exists()


def test_the_first_compilation_is_announced(hsr, tmp_path, monkeypatch):
    monkeypatch.setattr("hsr._base.compiled.cache_folder", lambda: tmp_path)
    words = ("run", "figure2", "--store", tmp_path / "store")
    assert "compiling for the first time, about 10 seconds" in hsr(*words)[1].err
    (tmp_path / "compiled").touch()
    assert "compiling" not in hsr(*words)[1].err


@pytest.mark.parametrize("command", ["report", "ledger"])
def test_a_report_and_a_ledger_need_a_store_with_runs(hsr, tmp_path, command):
    code, said = hsr(command, "--store", tmp_path / "absent")
    assert code == 2
    assert "is not a store of runs" in said.err
    assert not (tmp_path / "absent").exists()
    Store(tmp_path / "empty")
    code, said = hsr(command, "--store", tmp_path / "empty")
    assert code == 2
    assert "has no complete setting: it is empty" in said.err


@pytest.mark.parametrize("name", ["seeds", "worlds", "control_worlds", "first_world"])
def test_a_count_of_runs_beyond_all_memory_is_refused(name, hsr, tmp_path):
    words = ("--set", f"{name}=100000000000", "--store", tmp_path / "store")
    code, said = hsr("run", "online_transfer", *words)
    assert code == 2
    assert f"{name} is 100000000000; it must be an integer of at most" in said.err
