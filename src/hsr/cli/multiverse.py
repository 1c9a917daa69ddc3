"""The command that asks what survives another reading of the paper."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hsr.cli.console import say
from hsr.cli.experiments import Report


@dataclass(frozen=True)
class Multiverse:
    """Try claims under many readings of what the paper leaves open, confirm what is found on fresh
    seeds, and write the report.

    Readings are the default, every single change from it, and a balanced random design. A killed or
    interrupted call goes on where it stopped when it is given again.
    """

    claims: Annotated[
        tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[CLAIM ...]")
    ] = ()
    """Rows of the ledger, such as online-stability; all of them if none is named."""
    budget: Annotated[int, tyro.conf.arg(metavar="N")] = 80
    """Readings of each experiment."""
    seeds: Annotated[int, tyro.conf.arg(metavar="N")] = 20
    """Seeds of each reading in the search."""
    confirm: Annotated[int, tyro.conf.arg(metavar="N")] = 5
    """Readings of each claim that are tested again on fresh seeds, at most."""
    preset: str = "paper"
    """smoke: small, to see that all works; paper: the paper's own numbers."""
    store: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("store")
    """Folder of the results; it is made if it does not exist."""
    out: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("out")
    """Folder for the report; it is made if it does not exist."""
    engine: str = "local"
    """local: processes on this machine; dask: a cluster that is running."""
    scheduler: str | None = None
    """Address of the cluster's scheduler, for --engine dask."""
    workers: int | None = None
    """Processes; by default one per core."""
    json: bool = False
    """Print what was found as JSON, for scripts, and write no report."""

    def __call__(self) -> int:
        """Search, say what was found of each claim, and write the report."""
        from hsr.paper import engine
        from hsr.paper.multiverse import report_section, runner, search
        from hsr.paper.setting import changed
        from hsr.paper.store import Store

        asked = {
            name: getattr(self, name) for name in ("claims", "preset", "budget", "seeds", "confirm")
        }
        plan = changed(search.SearchPlan(), asked)
        search.claims_by_experiment(plan)
        engine.check_options(engine=self.engine, workers=self.workers, scheduler=self.scheduler)
        store = Store(self.store)
        try:
            found = runner.run_search(
                plan, store, workers=self.workers, how=self.engine, scheduler=self.scheduler
            )
        except runner.Stopped as stopped:
            say(f"hsr: {stopped}; the same command goes on from here", file=sys.stderr)
            return 130 if stopped.summary.interrupted else 1
        if self.json:
            say(json.dumps([report_section.as_data(one) for one in found]))
            return 0
        for one in found:
            say(f"{one.claim}: {report_section.in_brief(one)}. {report_section.turned_by(one)}")
        return Report(store=self.store, preset=self.preset, out=self.out)()
