"""Every experiment at a tiny setting, run once in this process and shared by all tests."""

import re
from functools import cache

import numpy as np

from hsr._base.declaration import changed
from hsr.experiments import catalogue
from hsr.experiments.contrast import evidence_of
from hsr.experiments.runner import result_of
from hsr.experiments.store import Record, ResultTable, Store
from hsr.paper.transfer import TransferCondition
from hsr.paper.transfer.setting import optimal_of
from tests.studies.planting import finish, joined_words

WORLDS = {"worlds": 3, "seeds": 2}
FEW_GOALS = {"maps.trained_on": "per_room"}  # expected maps over every goal take long
TRANSFER = WORLDS | {
    "episodes": 4,
    "horizon": 150,
    "options.warm_up": 60,
    "options.refresh": 200,
}
ONE_GOAL = WORLDS | {"episodes": 5, "maps.n_components": 12, **FEW_GOALS}
EXPLORING = {"sizes": (11, 13), "steps": 400, "points": 20, "worlds": 3, "seeds": 2}
TINY = {
    "predictive_maps": {"worlds": 3, "maps.n_components": 8},
    "online_transfer": WORLDS | {"worlds": 4, "seeds": 3, "episodes": 6, "horizon": 200},
    "online_options": TRANSFER,
    "basis_transfer": ONE_GOAL | {"horizon": 300},
    "basis_mechanisms": {"worlds": 3, "components": (2, 8), "mazes": "one"},
    "gpi": ONE_GOAL | {"horizon": 500},
    "exploration": EXPLORING | {"maze.size": 11},
    "offline_rows": TRANSFER | FEW_GOALS,
    "mazes": TRANSFER,
    "option_classes": TRANSFER | {"budgets": (4, 8, 10)},
    "spectra": {"worlds": 3, "mazes": "one"},
    "exploration_online": EXPLORING | {"options.warm_up": 100, "options.refresh": 100},
}

_RANGE = r"\*\*([a-z])\*\*\s+to\s+\*\*([a-z])\*\*"


def preset(name, which="paper", **changes):
    """Return a preset with some fields changed, in the first worlds of the first sample."""
    known = catalogue.find(name).presets[which]
    first = {field: 0 for field in ("first_world", "sample") if hasattr(known, field)}
    return changed(known, {**first, **changes})


def tiny(name):
    """Return the tiny setting of an experiment."""
    return preset(name, "smoke", **TINY[name])


def conditions(name, setting):
    """Return the conditions of a setting, by the name under which they are drawn."""
    return catalogue.find(name).conditions(setting)


@cache
def records(name):
    """Return the runs of the tiny setting and of its controls, by their keys."""
    experiment, found = catalogue.find(name), {}
    for setting in experiment.with_controls(tiny(name)).values():
        finish(experiment, setting, found, lambda of_run, world: next(experiment(of_run, [world])))
    return found


def table(name, setting):
    """Return the runs of the tiny setting or of one of its controls."""
    return ResultTable(finish(catalogue.find(name), setting, records(name), None).values())


@cache
def numbers(name):
    """Return the numbers of the tiny setting under the name "", those of controls under theirs."""
    experiment = catalogue.find(name)
    settings = experiment.with_controls(tiny(name))
    return {control: experiment.analyse(table(name, one), one) for control, one in settings.items()}


def made_up(name, setting, steps_of, measured=None):
    """Return the numbers of a transfer experiment from made-up runs.

    `steps_of` gives the steps (seed, task, episode) of a condition in a world, and `measured` the
    change of its map and the fit of values by it, (change, (fit of G1, fit of G2)).
    """

    def record(of_run, world):
        condition = TransferCondition.from_data(of_run)
        arrays = {"steps": np.asarray(steps_of(condition, world))}
        if condition.measure_maps:
            change, fits = measured(condition, world) if measured else (0.5, (0.5, 0.5))
            arrays["change"] = np.full(condition.seeds, change)
            arrays["change_over_way"] = arrays["change"] / 2.0
            arrays["exact_change"] = np.full(1, change)
            arrays["fits"] = np.tile(np.array(fits)[:, None], (condition.seeds, 1, 8))
        return Record(name, of_run, world, arrays)

    experiment = catalogue.find(name)
    found = finish(experiment, setting, {}, record)
    return experiment.analyse(ResultTable(found.values()), setting)


def steps_meeting(condition, n):
    """Return steps (seed, task, episode) that meet the criterion in the episodes n (seed, task)."""
    late = np.arange(1, condition.episodes + 1) < np.asarray(n)[..., None]
    return np.where(late, 1.5, 1.0) * np.array(optimal_of(condition))[:, None]


def evidence(name, of_control):
    """Return the evidence that the numbers of an experiment give."""
    return evidence_of(catalogue.find(name).contrasts(of_control))


def words(name, of_control):
    """Return the verdicts on the statements of each claim, each once, joined by commas."""
    return joined_words(evidence(name, of_control))


def words_by_control(folder, name, setting, records_of):
    """Return the verdict of each control and claim, of made-up runs.

    Runs that a control shares with the ledger are the ledger's.
    """
    experiment = catalogue.find(name)
    made_up = [
        record
        for control, variant in experiment.with_controls(setting).items()
        for record in records_of(control, variant)
    ]
    result = result_of(experiment, setting, stored(folder, made_up))
    return {
        (variant, claim): word
        for variant in experiment.columns
        for claim, word in joined_words(
            one for one in result.evidence if one.variant == variant
        ).items()
    }


@cache
def draw(name, by_control=None):
    """Return the figure of an experiment, by default that of the tiny setting."""
    own = dict(numbers(name) if by_control is None else by_control)
    return catalogue.find(name).drawn(own.pop(""), own)


def stored(folder, found):
    """Return a store in a folder that has some records; of those with one key, the first."""
    store, by_key = Store(folder), {}
    for one in found:
        by_key.setdefault(one.key, one)
    store.put_all(by_key.values())
    return store


def letters_of(figure):
    """Return the letters of a figure's panels, in the order in which they are drawn."""
    titles = (ax.get_title(loc="left") for ax in figure.axes)
    return [title[0] for title in titles if re.match("[a-z](  |$)", title)]


def letters_in(caption):
    """Return the letters that a caption explains, and those that it explains one by one.

    A range, such as **d** to **g**, explains all of its letters together.
    """
    ranges = re.findall(_RANGE, caption)
    alone = re.findall(r"\*\*([a-z])\*\*", re.sub(_RANGE, "", caption))
    together = {chr(k) for a, b in ranges for k in range(ord(a), ord(b) + 1)}
    return sorted(together | set(alone)), alone
