"""`hsr multiverse`: which claims hold under other readings of the paper."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from hsr.cli.arguments import (
    Count,
    Engine,
    Mix,
    NewStore,
    Preset,
    Scheduler,
    StoreOutput,
    Workers,
    output_of,
)
from hsr.cli.changes import joined
from hsr.cli.console import say
from hsr.cli.experiments import Report


@dataclass(frozen=True)
class Multiverse:
    """Test claims under many readings of what the paper leaves open, and write the report.

    Readings are the default, every single change of it, and a balanced random design. Findings are
    confirmed in fresh worlds. With --joint, one reading holds for all experiments, and the search
    is for that which reproduces the most claims. If the command is killed or interrupted, run it
    again to resume.
    """

    claims: Annotated[
        tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[CLAIM ...]")
    ] = ()
    """Rows of the ledger, such as online-stability. By default all of them."""
    budget: Count = 80
    """Number of readings of each experiment."""
    worlds: Count = 24
    """Number of worlds of each reading in the search."""
    seeds: Count = 2
    """Number of seeds in each world."""
    confirm: Count = 5
    """Largest number of readings of each claim that are tested again in fresh worlds."""
    joint: bool = False
    """Search one reading for the whole paper. Its stages have their own worlds and seeds."""
    set: Annotated[
        tuple[tuple[str, ...], ...],
        tyro.conf.UseAppendAction,
        tyro.conf.arg(metavar="[KEY=VALUE ...]"),
    ] = ()
    """Fields of the joint search to change, such as permutations=1000."""
    write_closest: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write the closest reading of the joint search to this TOML file."""
    preset: Preset = "paper"
    store: NewStore = Path("store")
    out: StoreOutput = None
    engine: Engine = "local"
    scheduler: Scheduler = None
    workers: Workers = None
    mix: Mix = False
    json: bool = False
    """Print the findings as JSON, for scripts, and write no report."""

    def __call__(self) -> int:
        """Search, print the findings of each claim, and write the report."""
        from hsr import InputError
        from hsr.paper import engine
        from hsr.paper.multiverse import report_section, runner, search
        from hsr.paper.setting import changed
        from hsr.paper.store import Store

        if self.joint:
            return self._search_jointly()
        if self.set or self.write_closest is not None:
            raise InputError("--set and --write-closest belong to a joint search; add --joint")
        names = ("claims", "preset", "budget", "worlds", "seeds", "confirm")
        plan = changed(search.SearchPlan(), {name: getattr(self, name) for name in names})
        search.claims_by_experiment(plan)
        engine.check_options(engine=self.engine, workers=self.workers, scheduler=self.scheduler)
        store = Store(self.store)
        try:
            found = runner.run_search(plan, store, **self._how)
        except runner.Stopped as stopped:
            say(f"hsr: {stopped}; run the same command again to resume", file=sys.stderr)
            return 130 if stopped.summary.interrupted else 1
        if self.json:
            say(json.dumps([report_section.as_data(one) for one in found]))
            return 0
        for one in found:
            say(f"{one.claim}: {report_section.in_brief(one)}. {report_section.turned_by(one)}")
        return Report(store=self.store, preset=self.preset, out=self.out)()

    @property
    def _how(self) -> dict[str, Any]:
        """How runs are made."""
        names = ("engine", "workers", "scheduler", "mix")
        return {name: getattr(self, name) for name in names}

    def _search_jointly(self) -> int:
        from hsr.paper import engine
        from hsr.paper.changes import read_change
        from hsr.paper.multiverse import joint, joint_section, runner
        from hsr.paper.multiverse.figure import draw_joint
        from hsr.paper.setting import changed
        from hsr.paper.store import Store
        from hsr.plots import save_figure

        changes = {
            "claims": self.claims,
            "preset": self.preset,
            **dict(map(read_change, joined(self.set))),
        }
        plan = changed(joint.JointPlan(), changes)
        joint.joint_claims(plan)
        engine.check_options(engine=self.engine, workers=self.workers, scheduler=self.scheduler)
        try:
            found = runner.run_joint(plan, Store(self.store), **self._how)
        except runner.Stopped as stopped:
            say(f"hsr: {stopped}; run the same command again to resume", file=sys.stderr)
            return 130 if stopped.summary.interrupted else 1
        if self.write_closest is not None:
            joint_section.write_closest(found, self.write_closest)
        if self.json:
            say(json.dumps(joint_section.joint_as_data(found)))
            return 0
        for sentence in joint_section.joint_in_words(found):
            say(sentence)
        folder = output_of(self.out, self.store)
        path = save_figure(draw_joint(found), folder / f"joint_{self.preset}.png")
        say(f"wrote: {path}")
        return 0
