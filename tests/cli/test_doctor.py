"""`hsr doctor`: every check is seen to fail on a planted fault, and the output is as documented."""

import json
import shlex
import sys
import tempfile
from dataclasses import replace
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

import hsr.paper.store
import hsr.plots
import hsr.toolkit
from hsr import cli
from hsr._base import plugins
from hsr._base.version import __version__
from hsr.cli import health, machine
from hsr.cli.health import Verdict
from hsr.kernels import substitution
from tests.project.tree import PROJECT, text_of

MOON = plugins.Plugin("hsr.options", "moon", "hsr-moon", "1.2")
DUMPS = EntryPoint("moon", "json:dumps", "hsr.options")


def verdict_of(name):
    return health.verdict_of(health.CHECKS[name])


def failing(error):
    """Return a function that raises an error."""

    def fail(*arguments, **words):
        raise error

    return fail


@pytest.fixture
def doctor(capsys):
    """Return a function that runs `hsr doctor`: its exit code, and what it printed."""

    def run(*arguments):
        code = cli.main(["doctor", *arguments])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def checks(monkeypatch):
    """Put three checks in place of the real ones, one of each state; the test may change them."""
    planted = {
        "good": lambda: "fine",
        "slow": lambda: Verdict("advice", "slow", "hurry"),
        "bad": lambda: Verdict("failed", "broken\x1b[31m", "mend it"),
    }
    monkeypatch.setattr(health, "CHECKS", planted)
    return planted


# Checks: nothing fails here, and each is seen to fail.


def test_nothing_fails_here():
    verdicts = health.examine()
    assert len(verdicts) >= 10
    assert [one for one in verdicts.values() if one.state == "failed"] == []
    assert all((one.remedy == "") == (one.state == "ok") for one in verdicts.values())


def test_a_package_that_is_missing_or_too_old_is_found(monkeypatch):
    needed = ["numpy>=99", "no-such-package>=1", "scipy>=1", 'no-such-extra>=1; extra == "lab"']
    monkeypatch.setattr(health.metadata, "requires", lambda name: needed)
    said = f"numpy>=99 is needed, found {np.__version__}, no-such-package>=1 is needed, found None"
    assert verdict_of("packages") == Verdict(
        "failed", said, "pip install 'numpy>=99' 'no-such-package>=1'"
    )


def test_code_that_was_never_installed_is_found(monkeypatch):
    monkeypatch.setattr(health, "DISTRIBUTION", "no-such-distribution")
    assert verdict_of("packages").state == "failed"
    assert "not installed" in verdict_of("packages").said


def test_code_of_another_version_than_the_installed_one_is_found(monkeypatch):
    monkeypatch.setattr(health, "__version__", "9.9.9")
    verdict = verdict_of("version")
    assert (verdict.state, "9.9.9" in verdict.said) == ("advice", True)


def with_last_bit_wrong(function, entry):
    """Return the function with one entry of its last argument or result off by one bit."""

    def wrong(*arguments, **settings):
        result = function(*arguments, **settings)
        M = arguments[-1] if result is None else result
        M[entry] = np.nextafter(M[entry], 2.0 * M[entry])
        return result

    return wrong


def test_compiled_code_that_is_wrong_in_the_last_bit_is_found(monkeypatch):
    right = substitution.solve_acyclic
    wrong = with_last_bit_wrong(right, (7, 1))
    wrong.py_func = right.py_func
    monkeypatch.setattr(substitution, "solve_acyclic", wrong)
    assert verdict_of("compiled code").state == "failed"


def test_code_that_is_not_compiled_is_reported(monkeypatch):
    monkeypatch.setattr(substitution, "solve_acyclic", substitution.solve_acyclic.py_func)
    verdict = verdict_of("compiled code")
    assert (verdict.state, verdict.remedy) == ("advice", "unset NUMBA_DISABLE_JIT")


def test_vector_instructions_that_are_wrong_in_the_last_bit_are_found(monkeypatch):
    monkeypatch.setattr(hsr, "learn_sr", with_last_bit_wrong(hsr.learn_sr, (3, 3)))
    assert verdict_of("vector instructions").state == "failed"


@pytest.mark.parametrize(
    "wrong", [lambda M: M.toarray() + 1e-11, lambda M: np.full((2, 2), np.nan)]
)
def test_a_map_that_is_wrong_is_found(wrong, monkeypatch):
    right = hsr.successor_representation
    planted = lambda mdp: SimpleNamespace(toarray=lambda: wrong(right(mdp)))  # noqa: E731
    monkeypatch.setattr(hsr, "successor_representation", planted)
    assert verdict_of("exact map").state == "failed"


def test_environments_that_gymnasium_does_not_know_are_found(monkeypatch):
    monkeypatch.delitem(gymnasium.registry, "hsr/GridWorld-v0")
    assert verdict_of("environments").state == "failed"


def test_a_figure_that_stays_empty_is_found(monkeypatch):
    right = hsr.plots.new_figure

    def colourless(*size):
        page = right(*size)
        page.set_facecolor = lambda colour: None
        return page

    monkeypatch.setattr(hsr.plots, "new_figure", colourless)
    assert verdict_of("figure").state == "failed"


def test_a_store_that_returns_something_else_is_found(monkeypatch):
    other = hsr.paper.store.Record("doctor", {"rate": 0.1}, seed=0, arrays={"steps": np.arange(4)})
    monkeypatch.setattr(hsr.paper.store.Store, "get", lambda self, key: other)
    assert verdict_of("store").state == "failed"


def test_a_disk_that_cannot_be_written_has_its_own_remedy(monkeypatch):
    refusal = PermissionError(13, "Permission denied")
    monkeypatch.setattr(tempfile, "TemporaryDirectory", failing(refusal))
    verdict = verdict_of("store")
    assert (verdict.state, verdict.remedy) == ("failed", health.DISK)


@pytest.mark.parametrize(
    ("found", "owners", "words"),
    [
        ({MOON: DUMPS}, None, ["1 found, and each can be imported"]),
        ({MOON: DUMPS, replace(MOON, group="hsr.bonuses"): DUMPS}, None, ["2 found"]),
        (
            {MOON: EntryPoint("moon", "no_such_module:f", "hsr.options")},
            "hsr-moon",
            ["No module named 'no_such_module'"],
        ),
        ({MOON: DUMPS, replace(MOON, distribution="hsr-luna"): DUMPS}, "hsr-luna, hsr-moon", []),
        ({replace(MOON, name="eigen"): DUMPS}, "hsr-moon", ["'eigen', which is built in"]),
        (
            {
                replace(MOON, name=name): EntryPoint(name, f"no_{name}:f", "hsr.options")
                for name in ("full", "half")
            },
            "hsr-moon",
            ["No module named 'no_full'", "No module named 'no_half'"],
        ),
    ],
    ids=["one", "two groups", "not importable", "one name twice", "built in", "two broken"],
)
def test_plugins_are_imported_and_their_names_compared(found, owners, words, monkeypatch):
    monkeypatch.setattr(plugins, "_found", lambda path: found)
    verdict = verdict_of("plugins")
    assert verdict.state == ("failed" if owners else "ok")
    assert verdict.remedy == (f"update or uninstall {owners}" if owners else "")
    assert all(word in verdict.said for word in words)


def test_a_cache_that_cannot_be_written_is_reported(monkeypatch):
    monkeypatch.setattr(hsr.toolkit, "cache_folder", lambda: None)
    verdict = verdict_of("cache")
    assert (verdict.state, "HSR_CACHE_DIR" in verdict.remedy) == ("advice", True)


@pytest.mark.parametrize(
    ("forbidden", "why"), [(True, "PYTHONDONTWRITEBYTECODE"), (False, "cannot be written")]
)
def test_bytecode_that_is_missing_is_reported_with_the_reason(
    forbidden, why, tmp_path, monkeypatch
):
    kept = tmp_path / "kept.pyc"
    kept.touch()
    absent = str(tmp_path / "absent.pyc")
    monkeypatch.setattr(sys, "dont_write_bytecode", forbidden)
    monkeypatch.setattr(
        health.util, "cache_from_source", lambda source: absent if "scipy" in source else str(kept)
    )
    verdict = verdict_of("bytecode")
    assert verdict.state == "advice"
    assert "bytecode of scipy," in verdict.said
    assert why in verdict.said
    assert shlex.split(verdict.remedy)[-1].endswith("scipy")
    kept.rename(absent)
    monkeypatch.setattr(health.util, "cache_from_source", lambda source: absent)
    assert verdict_of("bytecode").state == "ok"


def test_a_check_that_raises_has_failed_and_the_others_still_run(checks):
    checks["bad"] = failing(ImportError("libblas.so.3"))
    checks["last"] = checks.pop("good")
    verdicts = health.examine()
    assert verdicts["bad"] == Verdict("failed", "ImportError: libblas.so.3", health.REINSTALL)
    assert verdicts["last"].state == "ok"


# Facts.


def test_the_packages_that_are_listed_are_those_of_the_project():
    needed = {requirement.split(">")[0] for requirement in PROJECT["dependencies"]}
    assert set(machine.REQUIRED) == needed | {"llvmlite"}


def test_a_package_that_is_missing_is_listed_as_such(monkeypatch, doctor, checks):
    monkeypatch.setattr(machine, "EXTRAS", {"window": ("no-such-package",)})
    assert machine.optional() == {"window": {"no-such-package": None}}
    assert "window: no-such-package missing" in doctor()[1]


def test_the_cache_is_counted_apart_from_those_of_other_versions(tmp_path, monkeypatch):
    own, other = tmp_path / "numba-a", tmp_path / "numba-b"
    for folder, sizes in ((own, (10, 20)), (other / "deep", (5,))):
        folder.mkdir(parents=True)
        for number, size in enumerate(sizes):
            (folder / f"{number}.nbc").write_bytes(bytes(size))
    (tmp_path / "not ours").mkdir()
    monkeypatch.setattr(hsr.toolkit, "cache_folder", lambda: own)
    counts = {"files": 2, "bytes": 30, "other_folders": 1, "other_bytes": 5}
    assert machine.cache() == {"folder": str(own), **counts}


def test_vector_instructions_are_those_that_numba_is_set_to_use(monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "+avx2,-fma,+sse2,+nonsense")
    assert machine.processor()["vectors"] == ["sse2", "avx2"]


def test_what_this_process_may_use_is_no_more_than_there_is():
    processor, memory = machine.processor(), machine.memory()
    assert 1 <= processor["usable"] <= processor["cores"]
    assert 0 < memory["available"] <= memory["total"]


def test_plugins_are_listed_with_their_distribution(monkeypatch, doctor, checks):
    monkeypatch.setattr(plugins, "installed", lambda: [MOON])
    assert machine.plugins() == [
        {"group": "hsr.options", "name": "moon", "distribution": "hsr-moon", "version": "1.2"}
    ]
    line = "plugins    group hsr.options, name moon, distribution hsr-moon, version 1.2\n"
    assert line in doctor()[1]


def test_a_fact_that_a_broken_package_hides_is_replaced_by_the_error(monkeypatch, doctor, checks):
    monkeypatch.setattr(hsr.toolkit, "blas_libraries", failing(ImportError("no scipy")))
    code, said = doctor()
    assert code == 1
    assert "blas       error ImportError: no scipy\n" in said
    assert f"versions   hsr {__version__}, python " in said


# The command.


def test_exit_code_1_if_a_check_failed_and_the_line_says_what_to_do(checks, doctor):
    code, said = doctor()
    assert code == 1
    assert said.splitlines()[-4:] == [
        "ok         good: fine",
        "advice     slow: slow; do: hurry",
        "failed     bad: broken\\x1b[31m; do: mend it",
        "1 check failed",
    ]


def test_exit_code_0_with_advice_and_without(checks, doctor):
    del checks["bad"]
    code, said = doctor()
    assert (code, said.splitlines()[-1]) == (0, "everything works (1 suggestion)")
    del checks["slow"]
    code, said = doctor()
    assert (code, said.splitlines()[-1]) == (0, "everything works")


def test_on_a_terminal_everything_is_said_in_colours_and_nothing_drives_it(
    checks, doctor, monkeypatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    code, said = doctor()
    assert code == 1
    failure = ("broken\\x1b[31m", "do: mend it", "1 check failed")
    for part in ("\x1b[32mok", "\x1b[1;31mfailed", *failure):
        assert part in said


def test_json_has_all_that_is_promised(doctor):
    code, said = doctor("--json")
    report = json.loads(said)
    assert (code, report["healthy"]) == (0, True)
    facts = ["versions", "optional", "processor", "blas", "memory", "cache", "plugins"]
    assert list(report) == ["healthy", *facts, "checks"]
    assert report["versions"]["hsr"] == __version__
    assert report["versions"]["numpy"] == np.__version__
    assert set(report["processor"]) == {"model", "cores", "usable", "vectors"}
    assert all(
        {"internal_api", "version", "num_threads"} <= set(library) for library in report["blas"]
    )
    assert set(report["cache"]) == {"folder", "files", "bytes", "other_folders", "other_bytes"}
    assert [check["name"] for check in report["checks"]] == list(health.CHECKS)
    assert all(set(check) == {"name", "state", "said", "remedy"} for check in report["checks"])


def test_json_of_a_failure_is_still_json(checks, doctor):
    code, said = doctor("--json")
    report = json.loads(said)
    assert (code, report["healthy"]) == (1, False)
    bad = {"state": "failed", "said": "broken\x1b[31m", "remedy": "mend it"}
    assert report["checks"][2] == {"name": "bad", **bad}


def test_the_page_lists_the_checks_in_their_order():
    table = text_of("docs/doctor.md").split("| check |")[1].split("| verdict |")[0]
    assert [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")] == list(
        health.CHECKS
    )
