"""`hsr multiverse`: which claims hold under other readings of the paper."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hsr.cli.arguments import Count, Engine, NewStore, Output, Preset, Scheduler, Workers
from hsr.cli.console import say
from hsr.cli.experiments import Report


@dataclass(frozen=True)
class Multiverse:
    """Test claims under many readings of what the paper leaves open, and write the report.

    Readings are the default, every single change of it, and a balanced random design. Findings are
    confirmed on fresh seeds. If the command is killed or interrupted, run it again to resume.
    """

    claims: Annotated[
        tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[CLAIM ...]")
    ] = ()
    """Rows of the ledger, such as online-stability. By default all of them."""
    budget: Count = 80
    """Number of readings of each experiment."""
    seeds: Count = 20
    """Number of seeds of each reading in the search."""
    confirm: Count = 5
    """Largest number of readings of each claim that are tested again on fresh seeds."""
    preset: Preset = "paper"
    store: NewStore = Path("store")
    out: Output = Path("out")
    engine: Engine = "local"
    scheduler: Scheduler = None
    workers: Workers = None
    json: bool = False
    """Print the findings as JSON, for scripts, and write no report."""

    def __call__(self) -> int:
        """Search, print the findings of each claim, and write the report."""
        from hsr.paper import engine
        from hsr.paper.multiverse import report_section, runner, search
        from hsr.paper.setting import changed
        from hsr.paper.store import Store

        names = ("claims", "preset", "budget", "seeds", "confirm")
        plan = changed(search.SearchPlan(), {name: getattr(self, name) for name in names})
        search.claims_by_experiment(plan)
        engine.check_options(engine=self.engine, workers=self.workers, scheduler=self.scheduler)
        store = Store(self.store)
        try:
            found = runner.run_search(
                plan, store, workers=self.workers, how=self.engine, scheduler=self.scheduler
            )
        except runner.Stopped as stopped:
            say(f"hsr: {stopped}; run the same command again to resume", file=sys.stderr)
            return 130 if stopped.summary.interrupted else 1
        if self.json:
            say(json.dumps([report_section.as_data(one) for one in found]))
            return 0
        for one in found:
            say(f"{one.claim}: {report_section.in_brief(one)}. {report_section.turned_by(one)}")
        return Report(store=self.store, preset=self.preset, out=self.out)()
