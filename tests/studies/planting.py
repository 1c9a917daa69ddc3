"""Made-up runs of a study, and what is found in them."""

from hsr._base.declaration import changed
from hsr.experiments.contrast import evidence_of
from hsr.experiments.ledger import judge
from hsr.experiments.store import Record, ResultTable, canonical, run_key


def finish(experiment, setting, found, run):
    """Add all runs of a setting to those that were found, until results ask for no more of them.

    `run` gives the record of a condition in a world. What is returned are the runs of the setting.
    """

    def look(condition, worlds):
        keys = [run_key(experiment.name, condition.data(), world) for world in worlds]
        return ResultTable(map(found.get, keys)) if set(keys) <= set(found) else None

    while True:
        wanted = {
            run_key(experiment.name, of_run, world): (of_run, world)
            for of_run, worlds in experiment.runs(setting, look)
            for world in worlds
        }
        if set(wanted) <= set(found):
            return {key: found[key] for key in wanted}
        found |= {key: run(*of) for key, of in wanted.items() if key not in found}


def planted(experiment, arrays_of, preset="smoke", **changes):
    """Return the numbers of made-up runs with the arrays ``arrays_of(name, condition, world)``."""
    setting = changed(experiment.presets[preset], changes)
    names = {}
    for name, condition in experiment.conditions(setting).items():
        names.setdefault(canonical(condition.data()), (name, condition))

    def record(of_run, world):
        known = names.get(canonical(of_run)) or ("", experiment.kind.from_data(of_run))
        return Record(experiment.name, of_run, world, arrays_of(*known, world))

    found = finish(experiment, setting, {}, record)
    return experiment.analyse(ResultTable(found.values()), setting)


def words(experiment, numbers):
    """Return the verdicts on the statements of each claim, each once, joined by commas."""
    return joined_words(evidence_of(experiment.contrasts(numbers)))


def joined_words(evidence):
    """Return the verdicts on the counted statements of each claim, each once, with commas."""
    found = {}
    for one in judge(evidence):
        if one.evidence.counts:
            found.setdefault(one.evidence.claim, {})[one.word] = None
    return {claim: ", ".join(some) for claim, some in found.items()}


def arrays_in(experiment, name, world=0, **changes):
    """Return the arrays of a real run of the preset smoke."""
    setting = changed(experiment.presets["smoke"], changes)
    condition = experiment.conditions(setting)[name]
    (record,) = experiment(condition.data(), [world])
    return record.arrays
