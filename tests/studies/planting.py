"""Made-up runs of a study, and what is found in them."""

from hsr._base.declaration import changed
from hsr.experiments.contrast import evidence_of
from hsr.experiments.ledger import judge
from hsr.experiments.store import Record, ResultTable, canonical


def planted(experiment, arrays_of, preset="smoke", **changes):
    """Return the numbers of made-up runs with the arrays ``arrays_of(name, condition, world)``."""
    setting = changed(experiment.presets[preset], changes)
    names, records = {}, {}
    for name, condition in experiment.conditions(setting).items():
        names.setdefault(canonical(condition.data()), (name, condition))

    def look(condition, worlds):
        keys = [(canonical(condition.data()), world) for world in worlds]
        return ResultTable(records[key] for key in keys) if set(keys) <= set(records) else None

    n = -1
    while n < len(records):  # runs that follow from others come in later rounds
        n = len(records)
        for of_run, worlds in experiment.runs(setting, look):
            text = canonical(of_run)
            known = names.get(text, ("", experiment.kind.from_data(of_run)))
            for world in set(worlds) - {w for t, w in records if t == text}:
                arrays = arrays_of(*known, world)
                records[text, world] = Record(experiment.name, of_run, world, arrays)
    return experiment.analyse(ResultTable(records.values()), setting)


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
