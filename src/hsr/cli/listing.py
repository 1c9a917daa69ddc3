"""`hsr list`: what can be run, and what can be set."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from hsr.cli.arguments import OldStore, Preset
from hsr.cli.changes import SAMPLE
from hsr.cli.console import number_of, say
from hsr.cli.running import count


@dataclass(frozen=True)
class List:
    """List the experiments with their figures, and how many runs and worlds each preset has.

    A run is one agent in one world, with all its seeds. With the name of an experiment, list its
    settings instead: each with its value in the preset, what it takes, and what it decides.
    """

    experiment: Annotated[
        tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[EXPERIMENT]")
    ] = None
    """Name of an experiment whose settings are listed."""
    preset: Preset = "smoke"
    store: OldStore = Path("store")
    json: bool = False
    """Print the list as JSON, for scripts."""
    toml: bool = False
    """Print the settings of the experiment as a TOML file, to edit and give to --config."""

    def __call__(self) -> int:
        """Print a line per experiment and preset, or per setting."""
        if self.experiment is not None:
            return self._say_fields(self.experiment)
        rows = _experiments(self.store)
        if self.json:
            say(json.dumps(rows))
            return 0
        for row in rows:
            figure = f"Figure {row['figure']}" if row["in_the_paper"] else row["figure"]
            say(f"{row['name']:<20} {figure:<15} {row['title']}")
            for preset, counted in row["presets"].items():
                runs = number_of(counted["runs"], "run")
                of = " x ".join(
                    number_of(counted[name], name[:-1]) for name in SAMPLE if counted[name]
                )
                say(f"    {preset:<8} {runs:>12}, {counted['stored']:,} stored  {of}".rstrip())
        return 0

    def _say_fields(self, name: str) -> int:
        from hsr.paper import catalogue
        from hsr.paper.changes import write_file, write_value
        from hsr.paper.setting import fields_of

        experiment = catalogue.find(name)
        setting = experiment.setting(self.preset, {})
        facts = fields_of(setting)
        if self.toml:
            for line in write_file(experiment, setting).splitlines():
                say(line)
            return 0
        if self.json:
            rows = [{"name": path, **one._asdict()} for path, one in facts.items()]
            say(json.dumps(rows, default=vars))
            return 0
        for path, one in facts.items():
            say(f"{path} = {write_value(one.value)}")
            say(f"    {one.description}: {one.takes}")
            if path in experiment.swept:
                say(f"    the experiment sets it itself, to each of {experiment.swept[path]}")
        return 0


def _experiments(store: Path) -> list[dict[str, Any]]:
    """Return every experiment as plain data, with the runs of its presets."""
    from hsr.paper import catalogue
    from hsr.paper.runner import jobs_of

    rows = []
    for experiment in map(catalogue.find, catalogue.all_names()):
        presets = {}
        for preset, setting in experiment.presets.items():
            to_do, stored = count(jobs_of(experiment, setting), store)
            sample = {name: getattr(setting, name, None) for name in SAMPLE}
            presets[preset] = {"runs": to_do + stored, "stored": stored, **sample}
        about = {name: getattr(experiment, name) for name in ("name", "figure", "title")}
        in_the_paper = experiment.name in catalogue.names()
        rows.append({**about, "in_the_paper": in_the_paper, "presets": presets})
    return rows
