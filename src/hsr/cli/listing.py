"""`hsr list`: what can be run and set."""

import json
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from hsr import InputError
from hsr.cli.arguments import NO_DEFAULT, SAMPLE, AnyPreset, Changes, Flag, joined, say_notes
from hsr.cli.console import number_of, say


@dataclass(frozen=True)
class List:
    """List the experiments with their figures, and how many runs and worlds each preset has.

    A run is one agent in one world, with all its seeds. Times are those of earlier runs on this
    machine, or else on another one. With the name of an experiment, list its settings instead: each
    with its value in the preset, what it takes, and what it decides.
    """

    experiment: Annotated[
        tyro.conf.Positional[str | None],
        tyro.conf.arg(metavar="[EXPERIMENT|FILE.py]", help_behavior_hint=NO_DEFAULT),
    ] = None
    """Name of an experiment whose settings are listed."""
    preset: AnyPreset = None
    set: Changes = ()
    toml: Flag = False
    """Print the settings of the experiment as a TOML file, to edit and give to --config."""
    json: Flag = False
    """Print the list as JSON, for scripts."""

    def __call__(self) -> int:
        """Print a line per experiment and preset, or per setting."""
        if self.experiment is not None:
            return self._say_fields(self.experiment)
        if self.preset or self.set or self.toml:
            raise InputError("--preset, --set and --toml need the name of an experiment")
        rows = _experiments()
        if self.json:
            say(json.dumps(rows))
            return 0
        for row in rows:
            figure = f"Figure {row['figure']}"
            say(f"{row['name']:<20} {figure:<15} {row['title']}")
            for preset, counted in row["presets"].items():
                of = " x ".join(
                    number_of(counted[name], name[:-1]) for name in SAMPLE if counted[name]
                )
                runs = runs_in_words(counted["runs"], counted["controls"])
                parts = (runs, of, time_in_words(counted["seconds"]))
                say(f"    {preset:<8} {'; '.join(part for part in parts if part)}")
        said = "times are for all cores, from earlier runs here or else on another machine"
        say(f"hsr: note: {said}", file=sys.stderr)
        return 0

    def _say_fields(self, name: str) -> int:
        from hsr._base.declaration import fields_of
        from hsr.experiments import catalogue
        from hsr.experiments.changes import read_change, write_file, write_value
        from hsr.experiments.durations import expected
        from hsr.experiments.runner import counted_runs

        experiment = catalogue.find(name)
        preset = self.preset or experiment.usual_preset
        changes = dict(map(read_change, joined(self.set)))
        setting = catalogue.setting_of(experiment, preset, changes)
        say_notes(experiment, setting, preset, changes)
        if self.toml:
            for line in write_file(experiment, setting).splitlines():
                say(line)
            return 0
        facts = fields_of(setting)
        if self.json:
            rows = [{"name": path, **one._asdict()} for path, one in facts.items()]
            say(json.dumps(rows, default=vars))
            return 0
        counts = counted_runs(experiment, setting)
        seconds = expected(experiment, preset, changes, sum(counts))
        say(f"# {runs_in_words(*counts)}; {time_in_words(seconds)}")
        for path, one in facts.items():
            say(f"{path} = {write_value(one.value)}")
            say(f"    {': '.join(part for part in (one.description, one.takes) if part)}")
            if path in experiment.swept:
                say(f"    the experiment sets it itself, to each of {experiment.swept[path]}")
        named = {"readings on request": experiment.readings, **experiment.variants}
        for column, variants in named.items():
            if variants:
                say(f"# {column}: {'; '.join(variants)}")
        return 0


def runs_in_words(runs: int, of_controls: int) -> str:
    """Return how many runs are asked for.

    >>> runs_in_words(20, 96), runs_in_words(20, 0)
    ('20 runs and 96 of controls', '20 runs')
    """
    return number_of(runs, "run") + (f" and {of_controls:,} of controls" if of_controls else "")


def time_in_words(seconds: float | None) -> str:
    """Return how long a preset takes, if it was measured.

    >>> time_in_words(41.3), time_in_words(None)
    ('about 41 s', 'time not measured yet')
    """
    from hsr.experiments.engine.progress import in_words

    return "time not measured yet" if seconds is None else f"about {in_words(seconds)}"


def _experiments() -> list[dict[str, Any]]:
    """Return every experiment as plain data, with the runs of its presets."""
    from hsr.experiments import catalogue
    from hsr.experiments.durations import expected
    from hsr.experiments.runner import counted_runs

    rows = []
    for experiment in map(catalogue.find, catalogue.names()):
        presets = {}
        for preset, setting in experiment.presets.items():
            runs, controls = counted_runs(experiment, setting, check=False)
            sample = {name: getattr(setting, name, None) for name in SAMPLE}
            seconds = expected(experiment, preset, (), runs + controls)
            counts = {"runs": runs, "controls": controls, "seconds": seconds}
            presets[preset] = {**counts, **sample}
        about = {name: getattr(experiment, name) for name in ("name", "figure", "title")}
        rows.append({**about, "presets": presets})
    return rows
