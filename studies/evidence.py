"""Regenerate all results in README and docs: runs, tables, sentences and figures.

    make evidence WORKERS=8                      # or: python studies/evidence.py --workers 8
    python studies/evidence.py --list            # the steps, their runs, and how long each takes
    python studies/evidence.py --only changing   # one step
    python studies/evidence.py --pages-only      # write pages from what is there, run nothing

`studies/steps.py` lists the steps. The code must be committed, because the manifest names the
commit. All runs go into one store: if the command is killed or interrupted, run it again to resume.
A finished step leaves a small folder in STORE/found, with its rows of the ledger, its figures and
its entry of the manifest, and is not repeated unless its code has changed. These folders are all
that pages need. They can be copied from a machine with many cores (`--out DIR`) into STORE/found of
another one, where `--pages-only` writes the pages.

It needs the extra `paper` only. `--gpu` lists the steps that train networks, which need the extra
`deep`, too.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hsr._base.threads import usable_cores
from hsr.experiments import catalogue, durations
from hsr.experiments.engine.running import local_cluster
from hsr.experiments.ledger_file import write_ledger
from hsr.experiments.report import DOTS, numbers_in_words
from hsr.experiments.runner import counted_runs, result_of, run_all
from hsr.experiments.store import Store, provenance
from hsr.experiments.store.sources import meaning
from hsr.plots import save_figure

sys.path.append(str(Path(__file__).resolve().parents[1]))
from studies.pages import PAGES, ROOT, STUDIES, panel_pictures, read_json, write_pages
from studies.pictures import boxes, cut, write_boxes
from studies.steps import STEPS, Step

# Where files lie that evidence may depend on.
CODE = ("src", "studies", "docs", "examples", "benchmarks", "pyproject.toml", "requirements")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the steps that are not finished and write the pages; return the exit code."""
    asked = _parse(argv)
    if not (asked.list or asked.pages_only):
        asked.commit = commit() if asked.preset == "paper" else "a trial"
    found = asked.store / "found"
    steps = [
        one for one in STEPS if one.gpu == asked.gpu and (not asked.only or one.name in asked.only)
    ]
    left = [one for one in steps if not is_finished(one, found, asked)]
    say_plan(steps, left, asked)
    if asked.list:
        return 0
    try:
        failed = [] if asked.pages_only else run_steps(left, found, asked)
    except KeyboardInterrupt:
        return 130
    finally:
        if asked.out is not None and found.exists():
            shutil.copytree(found, asked.out, dirs_exist_ok=True)
    collect(found, asked.root)
    for page in write_pages(asked.root):
        say(f"wrote: {page.relative_to(asked.root)}")
    if failed:
        say(f"failed: {', '.join(failed)}; give the same command again")
    return 1 if failed else 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="STEP", help="names of steps")
    parser.add_argument("--workers", type=int, help="processes; by default one for each core")
    parser.add_argument("--scheduler", help="address of a Dask scheduler")
    parser.add_argument("--store", type=Path, default=Path("out/evidence"), help="folder of runs")
    parser.add_argument("--out", type=Path, help="also copy what is found into this folder")
    parser.add_argument("--pages-only", action="store_true", help="run nothing")
    parser.add_argument("--list", action="store_true", help="say how long it takes, and stop")
    parser.add_argument("--gpu", action="store_true", help="the steps that train networks")
    parser.add_argument("--preset", default="paper", help="of experiments; smoke only tries")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout that pages are in")
    asked = parser.parse_args(argv)
    unknown = set(asked.only) - {one.name for one in STEPS}
    if unknown:
        parser.error(f"no step {sorted(unknown)}; there are {', '.join(s.name for s in STEPS)}")
    if asked.preset != "paper" and asked.root == ROOT and not asked.list:
        parser.error("runs of another preset are no evidence; name another --root for their pages")
    return asked


def say(line: str) -> None:
    """Print a line at once."""
    print(f"[{time.strftime('%H:%M:%S')}] {line}", flush=True)  # noqa: T201


def is_finished(step: Step, found: Path, asked: argparse.Namespace) -> bool:
    """Return whether a step was made by the present code, with the same settings."""
    path = found / step.name / "entry.json"
    return path.exists() and _state(step, asked).items() <= read_json(path).items()


def _state(step: Step, asked: argparse.Namespace) -> dict[str, Any]:
    """Return the code of a step: the hash of the sources, of its own files, and the command."""
    hashes = {}
    for name in step.rests_on:
        path = ROOT / name
        files = sorted(path.rglob("*.py") if path.is_dir() else ROOT.glob(name))
        sha = hashlib.sha256(b"".join(_counted(one) for one in files))
        hashes[name] = sha.hexdigest()[:12]
    command = f"python studies/evidence.py{' --gpu' if step.gpu else ''} --only {step.name}"
    if step.run:
        command = f"hsr run {step.run} --preset {asked.preset}"
    return {"sources": provenance()["sources"], "files": hashes, "command": command}


def _counted(path: Path) -> bytes:
    """Return what counts of a file: of Python code what it does, otherwise its bytes."""
    content = path.read_bytes()
    return meaning(content) if path.suffix == ".py" else content


def say_plan(steps: Iterable[Step], left: Sequence[Step], asked: argparse.Namespace) -> None:
    """Print how many runs each step has and how long it will take, and the sum of what is left."""
    path = asked.root / "docs/manifest.json"
    manifest = read_json(path) if path.exists() else {}
    total, unknown = 0.0, 0
    for step in steps:
        entry, n = manifest.get(step.name, {}), 0
        if step.run:
            experiment = catalogue.find(_path(step.run))
            n = sum(counted_runs(experiment, experiment.presets[asked.preset], check=False))
        seconds, runs = seconds_of(step, entry, n, asked.preset), f"{n:,} runs" if n else ""
        if step in left:
            total, unknown = total + (seconds or 0.0), unknown + (seconds is None)
        takes = "not measured" if seconds is None else f"{seconds / 60:.1f} CPU minutes"
        say(f"{step.name:<28} {runs:>12}  {takes:>18}  {'' if step in left else 'finished'}")
    workers = asked.workers or usable_cores()
    more = f", and {unknown} steps that were never measured" if unknown else ""
    said = f"{total / 60:.0f} CPU minutes{more}"
    say(f"left: {said}; {total / 60 / workers:.0f} minutes with {workers} workers")


def seconds_of(step: Step, entry: dict[str, Any], n_runs: int, preset: str) -> float | None:
    """Return the CPU seconds that a step takes, or None if that is not known.

    `hsr list` knows them for experiments of the paper. For other steps they are those of the
    manifest, in proportion to the number of runs. Where threads share a core they are too many.
    """
    known = None
    if step.run:
        known = durations.expected(catalogue.find(_path(step.run)), preset, (), n_runs, workers=1)
    if known is not None or not entry:
        return known
    return float(entry["seconds"]) * (n_runs / entry["runs"] if n_runs else 1.0)


def run_steps(steps: Sequence[Step], found: Path, asked: argparse.Namespace) -> list[str]:
    """Run steps, and return the names of those that failed."""
    failed = []
    with ExitStack() as stack:
        workers = asked.workers or usable_cores()
        if workers > 1 and not asked.scheduler and any(one.run for one in steps):
            # One cluster for all steps, because starting many processes takes time.
            asked.scheduler = stack.enter_context(local_cluster(workers)).scheduler_address
        for step in steps:
            say(f"{step.name}: begins")
            done = make(step, found / step.name, asked)
            say(f"{step.name}: {'finished' if done else 'failed'}")
            failed += [] if done else [step.name]
    return failed


def make(step: Step, folder: Path, asked: argparse.Namespace) -> bool:
    """Run a step, leave what it found in its folder, and return whether it has succeeded."""
    state, began = _state(step, asked), _of_children()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    more: dict[str, Any] | None = {"runs": 0, "sample": ""}
    if step.run:
        more = _run(step, folder, asked)
    if more is None or not _call(step, folder, asked):
        return False
    known = provenance()
    entry = {
        **state,
        "seconds": round(_of_children() - began, 1),
        **more,
        "commit": asked.commit,
        "date": time.strftime("%Y-%m-%d"),
        "packages": known["versions"],
        "machine": {name: known[name] for name in ("cpu", "system")},
    }
    _write(folder / "entry.json", entry)  # the last: it says that the step is finished
    return True


def _run(step: Step, folder: Path, asked: argparse.Namespace) -> dict[str, Any] | None:
    """Run an experiment, and write its rows, tables and figures; None if runs failed."""
    experiment, store = catalogue.find(_path(step.run)), Store(asked.store)
    setting = experiment.presets[asked.preset]
    workers = None if asked.scheduler else asked.workers
    done, _ = run_all(
        [(experiment, setting)], store, asked.preset, workers=workers, scheduler=asked.scheduler
    )
    for one in done.failed:
        say(f"{step.name}: {one.error}")
    if done.interrupted:
        raise KeyboardInterrupt
    result = None if done.failed else result_of(experiment, setting, store)
    if result is None:
        return None
    assert len(result.source_version) == 1, f"runs of several sources: {result.source_version}"
    for name, figure in (("figure", result.figure), ("statistics", result.statistics)):
        if figure is not None:
            save_figure(figure, folder / f"{name}.png", dpi=DOTS, palette=True)
    _write(folder / "panels.json", boxes(result.figure) if result.figure is not None else {})
    _write(folder / "rows.json", result.rows)
    _write(folder / "words.json", {"title": experiment.title, "tables": result.tables})
    return {
        "runs": sum(result.source_version.values()),
        "sample": f"worlds {numbers_in_words(result.seeds)}",
        "seconds": round(result.seconds, 1),
        "caption": " ".join(result.caption.split()),
    }


def _call(step: Step, folder: Path, asked: argparse.Namespace) -> bool:
    """Call the scripts of a step, and keep what they wrote."""
    paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    for script in step.scripts:
        words = [_filled(word, asked) for word in script.split()]
        if subprocess.run([sys.executable, *words], cwd=ROOT, env=environment).returncode:
            return False
    for source, name in step.files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / _filled(source, asked), folder / name)
    return True


def _filled(word: str, asked: argparse.Namespace) -> str:
    """Return a word of a command with the names of folders and numbers filled in."""
    workers = str(asked.workers or usable_cores())
    known = {"STORE": str(asked.store.resolve()), "WORKERS": workers, "PRESET": asked.preset}
    for name, value in known.items():
        word = word.replace(name, value)
    return word


def collect(found: Path, root: Path) -> None:
    """Write the data of the pages from what finished steps have left."""
    docs = root / "docs"
    path = docs / "manifest.json"
    manifest = read_json(path) if path.exists() else {}
    panels = read_json(docs / "results/panels.json")
    here = {one.name: found / one.name for one in STEPS}
    here = {name: folder for name, folder in here.items() if (folder / "entry.json").exists()}
    entries = {name: read_json(folder / "entry.json") for name, folder in here.items()}
    of_paper = catalogue.names()
    states = {entries[name]["sources"] for name in of_paper if name in entries}
    if set(of_paper) <= set(here) and len(states) == 1:
        rows = [row for name in of_paper for row in read_json(here[name] / "rows.json")]
        write_ledger(rows, docs / "results/ledger.json")
        for name in of_paper:
            shutil.copyfile(here[name] / "figure.png", docs / f"results/{name}.png")
            shutil.copyfile(here[name] / "statistics.png", docs / f"results/{name}_statistics.png")
            panels[name] = read_json(here[name] / "panels.json")
            cut(docs / f"results/{name}.png", panels[name])
    else:
        why = f"states of the code: {sorted(states)}" if len(states) > 1 else "experiments missing"
        say(f"the ledger is not written: {why}")
        entries = {name: entry for name, entry in entries.items() if name not in of_paper}
    for name, (_, picture) in STUDIES.items():
        if name in here:
            rows, words = (read_json(here[name] / f"{one}.json") for one in ("rows", "words"))
            _write(docs / f"results/{name}.json", {"claims": rows, **words})
            shutil.copyfile(here[name] / "figure.png", docs / picture)
            panels[name] = read_json(here[name] / "panels.json")
            cut(docs / picture, panels[name])
    write_boxes(docs / "results/panels.json", panels)
    for step in STEPS:
        for _, name in step.files if step.name in here else ():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(here[step.name] / name, root / name)
    manifest |= entries
    _write(path, {one.name: manifest[one.name] for one in STEPS if one.name in manifest})


def commit(root: Path = ROOT) -> str:
    """Return the commit of the checkout; without git the environment variable HSR_COMMIT names it.

    Raises
    ------
    SystemExit
        If a file that evidence may depend on is not committed. What this command itself writes
        does not count, so that it can be resumed.
    """
    try:
        head, status = (
            subprocess.run(
                ["git", *words], cwd=root, check=True, capture_output=True, text=True
            ).stdout
            for words in (
                ["rev-parse", "HEAD"],
                ["status", "--porcelain", "-z", "--no-renames", "-uall", "--", *CODE],
            )
        )
    except (OSError, subprocess.CalledProcessError):
        head, status = os.environ.get("HSR_COMMIT", ""), ""
        if not head:
            sys.exit("the commit is not known: there is no git; name it as HSR_COMMIT")
    changed = sorted({line[3:] for line in status.split("\0") if line} - _written())
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        sys.exit(f"commit your changes first: {changed[0]}{more} changed since {head[:12]}")
    return head.strip()[:12]


def _written() -> set[str]:
    """Return the files of the checkout that this command writes, by their paths in it."""
    names = {*PAGES, *(name for step in STEPS for _, name in step.files)}
    names |= {f"docs/{picture}" for _, picture in STUDIES.values()}
    names |= {f"docs/results/{name}.json" for name in STUDIES}
    endings = (".png", "_statistics.png")
    names |= {f"docs/results/{name}{one}" for name in catalogue.names() for one in endings}
    names |= set(panel_pictures(read_json(ROOT / "docs/results/panels.json")))
    data = ("manifest.json", "results/ledger.json", "results/panels.json")
    return names | {f"docs/{name}" for name in data}


def _of_children() -> float:
    """Return the CPU seconds of processes that this one has started and that have ended."""
    return os.times().children_user + os.times().children_system


def _path(name: str) -> str:
    return str(ROOT / name) if name.endswith(".py") else name


def _write(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
