"""The steps of `studies/evidence.py`: what is run, and what it writes.

The preset "paper" of each experiment says over how many worlds; `docs/decisions/evidence.md` has
the rule.
"""

from dataclasses import dataclass

from studies.pages import STUDIES

from hsr.experiments import catalogue


@dataclass(frozen=True)
class Step:
    """Something that is run once: an experiment of the paper, a study, or scripts.

    Parameters
    ----------
    name : str
        Its name in the manifest.
    run : str
        What `hsr run` takes, if it is an experiment.
    scripts : tuple of str
        What Python is called with, one after another, after the runs if there are any.
    files : tuple of (str, str)
        What scripts write, and where it belongs in the checkout.
    rests_on : tuple of str
        Files and folders, besides the sources that compute runs. If they change, the step is run
        again.
    gpu : bool
        Whether it trains networks.
    """

    name: str
    run: str = ""
    scripts: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    rests_on: tuple[str, ...] = ()
    gpu: bool = False


def _same(*files: str) -> tuple[tuple[str, str], ...]:
    """Return files that scripts write where they belong."""
    return tuple((one, one) for one in files)


def _drawn(script: str, *files: str) -> Step:
    """Return the step of a script that draws figures of the documentation."""
    path = f"docs/figures/{script}.py"
    same = _same(*(f"docs/{name}" for name in files))
    return Step(f"{script}_figures", scripts=(path,), files=same, rests_on=(path,))


METHODS = ("eigen", "frontier")
STEPS = (
    *(Step(name, run=name) for name in catalogue.names()),
    Step(
        "replication",
        scripts=("studies/replication.py STORE STORE/replication.json PRESET WORKERS",),
        files=(("STORE/replication.json", "docs/replication.json"),),
        rests_on=("studies/replication.py",),
    ),
    *(
        Step(name, run=f"studies/{name}.py", rests_on=(f"studies/{name}.py",))
        for name in STUDIES
        if name not in ("when_hierarchy_pays", "animals")
    ),
    Step(
        "when_hierarchy_pays",
        run="studies/when_hierarchy_pays.py",
        rests_on=("studies/when_*.py",),
    ),
    Step(
        "animals",
        run="studies/animals.py",
        scripts=("docs/figures/which_map.py STORE",),
        files=_same("docs/which-map/agents.png", "docs/which-map/brain.png"),
        rests_on=("studies/animals*.py", "docs/figures/which_map.py", "src/hsr/animals"),
    ),
    _drawn("banner", "banner.png", "banner-narrow.png"),
    _drawn("moving_goal", "_static/moving-goal.gif"),
    _drawn("options_over_time", "options-over-time.png"),
    _drawn("revaluation", "revaluation.png"),
    _drawn("discovery", *(f"discovery/{name}.png" for name in METHODS)),
    Step(
        "reach",
        scripts=(
            "-m benchmarks.deep.reach STORE/reach",
            "-m benchmarks.deep.reach STORE/reach --collect",
            "docs/figures/reach.py",
        ),
        files=_same("benchmarks/deep/reach.json", "docs/reach.png"),
        rests_on=("benchmarks/deep/reach.py", "docs/figures/reach.py", "src/hsr/deep"),
        gpu=True,
    ),
    Step(
        "transfer_from_pixels",
        scripts=(
            "-m benchmarks.deep.transfer STORE/transfer",
            "docs/figures/transfer_from_pixels.py STORE/transfer",
        ),
        files=_same("benchmarks/deep/transfer.json", "docs/transfer-from-pixels.png"),
        rests_on=(
            "benchmarks/deep/transfer.py",
            "docs/figures/transfer_from_pixels.py",
            "src/hsr/deep",
        ),
        gpu=True,
    ),
    Step(
        "when_networks",
        scripts=("-m benchmarks.deep.when benchmarks/deep/when.json",),
        files=_same("benchmarks/deep/when.json"),
        rests_on=("benchmarks/deep/when.py", "src/hsr/deep"),
        gpu=True,
    ),
    Step(
        "known_answers",
        scripts=(
            "-m hsr.deep.benchmark --folder STORE/known-answers "
            "--collect benchmarks/deep/known_answers.json",
            "docs/figures/known_answers.py",
        ),
        files=_same("benchmarks/deep/known_answers.json", "docs/known-answers.png"),
        rests_on=("docs/figures/known_answers.py", "src/hsr/deep"),
        gpu=True,
    ),
    Step(
        "networks",
        scripts=("docs/figures/deep_maps.py", "docs/figures/deep_parts.py"),
        files=_same("docs/deep_maps.txt", "docs/deep-parts.png"),
        rests_on=("docs/figures/deep_maps.py", "docs/figures/deep_parts.py", "src/hsr/deep"),
        gpu=True,
    ),
)  # fmt: skip
