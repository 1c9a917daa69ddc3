"""Made-up runs of a study, and what is found in them."""

from hsr._base.declaration import changed
from hsr.experiments.contrast import evidence_of
from hsr.experiments.ledger import verdicts
from hsr.experiments.store import Record, ResultTable, canonical


def planted(experiment, arrays_of, preset="smoke", **changes):
    """Return the numbers of made-up runs with the arrays ``arrays_of(name, condition, world)``."""
    setting = changed(experiment.presets[preset], changes)
    names = {}
    for name, condition in experiment.conditions(setting).items():
        names.setdefault(canonical(condition.data()), (name, condition))
    records = [
        Record(experiment.name, of_run, world, arrays_of(*names[canonical(of_run)], world))
        for of_run, worlds in experiment.runs(setting)
        for world in worlds
    ]
    return experiment.analyse(ResultTable(records), setting)


def words(experiment, numbers):
    """Return the verdict of each claim."""
    return {one.claim: one.word for one in verdicts(evidence_of(experiment.contrasts(numbers)))}


def arrays_in(experiment, name, world=0, **changes):
    """Return the arrays of a real run of the preset smoke."""
    setting = changed(experiment.presets["smoke"], changes)
    condition = experiment.conditions(setting)[name]
    (record,) = experiment(condition.data(), [world])
    return record.arrays
