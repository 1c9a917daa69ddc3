"""Agents, brain and cells as parts of `studies/animals.py`: arrays of their runs, and back."""

from collections.abc import Mapping
from typing import Any

import animals_agents as agents
import animals_brain as brain
import animals_cells as cells
import numpy as np
from animals_mazes import Trials

Arrays = Mapping[str, np.ndarray]
NUMBERS = ("discount", "share", "n_options", "scale")  # settings of maps of the graph
MEASURES = ("found", "lost")


def race_arrays(quick: bool) -> Arrays:
    """Return success and steps lost of agents and subjects, and the settings of agents."""
    from hsr import datasets

    race = agents.beat_the_rat(datasets.tartarus(), n_seeds=1 if quick else 4)
    arrays = {
        "limits": np.array(race.limits, dtype=float),
        "settings": np.full((len(agents.ENTRANTS), 3), np.nan),
    }
    for row, (name, entrant) in enumerate(agents.ENTRANTS.items()):
        for column, setting in enumerate(entrant.lists):
            arrays["settings"][row, column] = race.settings[name][setting]
    for measure in MEASURES:
        of_agents = [list(one.values()) for one in race.agents.values()]
        arrays[f"agents_{measure}"] = np.array(
            [[getattr(trials, measure) for trials in one] for one in of_agents]
        )
        for species in agents.SPECIES:
            arrays[f"{species}_{measure}"] = np.array(
                [getattr(one[species], measure) for one in race.subjects.values()]
            )
    return with_seed(arrays)


def race_of(table: Any) -> agents.Race:
    """Return what `beat_the_rat` returned, from the arrays of its run."""

    def array(name: str) -> np.ndarray:
        return table.array(name)[0, 0]

    limits = tuple(int(limit) for limit in array("limits"))
    settings = {
        name: dict(zip(entrant.lists, values.tolist(), strict=False))
        for (name, entrant), values in zip(agents.ENTRANTS.items(), array("settings"), strict=True)
    }
    of_agents = {
        limit: {
            name: Trials(*(array(f"agents_{measure}")[k, row] for measure in MEASURES))
            for row, name in enumerate(agents.ENTRANTS)
        }
        for k, limit in enumerate(limits)
    }
    subjects = {
        limit: {
            species: Trials(*(array(f"{species}_{measure}")[k] for measure in MEASURES))
            for species in agents.SPECIES
        }
        for k, limit in enumerate(limits)
    }
    return agents.Race((limits[0], limits[1]), settings, of_agents, subjects)


def brain_arrays(quick: bool) -> Arrays:
    """Return held-out correlations with adaptation, the settings behind them, and power."""
    from hsr import datasets

    found = brain.compare_adaptation(datasets.garvert2017(), n_simulations=20 if quick else 500)
    chosen = np.full((len(found.scores), found.others.size, len(NUMBERS) + 1), np.nan)
    for row, of_people in enumerate(found.chosen.values()):
        for person, values in enumerate(of_people):
            numbers = [values.get(name, np.nan) for name in NUMBERS]
            chosen[row, person] = [*numbers, list(brain.READOUTS).index(values["readout"])]
    return with_seed(
        {
            "scores": np.array(list(found.scores.values())),
            "others": found.others,
            "chosen": chosen,
            "at_end": np.array(
                [[name in found.at_end[model] for name in NUMBERS] for model in found.scores]
            ),
            **{
                name: np.array(list(getattr(found, name).values()))
                for name in ("best", "told", "misled")
            },
        }
    )


def brain_of(table: Any) -> brain.Adaptation:
    """Return what `compare_adaptation` returned, from the arrays of its run."""
    models = ("distance", "communicability", "SR", "HSR")
    chosen = {
        model: [
            {
                name: value
                for name, value in zip(NUMBERS, row.tolist(), strict=False)
                if value == value
            }
            | {"readout": list(brain.READOUTS)[int(row[-1])]}
            for row in of_people
        ]
        for model, of_people in zip(models, table.array("chosen")[0, 0], strict=True)
    }
    at_end = {
        model: tuple(name for name, there in zip(NUMBERS, row, strict=True) if there)
        for model, row in zip(models, table.array("at_end")[0, 0], strict=True)
    }
    rates = [
        dict(zip(brain.EFFECTS, table.array(name)[0, 0], strict=True))
        for name in ("best", "told", "misled")
    ]
    scores = dict(zip(models, table.array("scores")[0, 0], strict=True))
    return brain.Adaptation(scores, chosen, at_end, table.array("others")[0, 0], *rates)


def cell_arrays(quick: bool) -> Arrays:
    """Return bits per spike of each model, and the model that predicts each unit best."""
    found = cells.wmaze_cells(shuffles=9 if quick else 99)
    best = [cells.MODELS.index(name) for name in found["best"].values()]
    return with_seed(
        {
            "bits": np.array([found["bits"][name] for name in cells.MODELS]),
            "best": np.array(best, dtype=float),
            "p": np.array(found["p"]),
            "spikes": np.array(found["spikes"], dtype=float),
        }
    )


def with_seed(arrays: Arrays) -> Arrays:
    """Return arrays with an axis of length 1 in front."""
    return {name: np.asarray(array, dtype=float)[None] for name, array in arrays.items()}


def tables_of_parts(rows: Mapping[str, Any]) -> str:
    """Return the tables of agents, brain and cells, as Markdown."""
    race, of_cells = race_of(rows["agents"]), rows["cells"]
    ends = "; ".join(f"{name}: {', '.join(some)}" for name, some in race.at_end.items() if some)
    best, p = (of_cells.array(name)[0, 0] for name in ("best", "p"))
    counts = [
        f"| {name} | {bits:.3f} | {int(((best == k) & (p < 0.05)).sum())} |"
        for k, (name, bits) in enumerate(
            zip(cells.MODELS, of_cells.array("bits")[0, 0], strict=True)
        )
    ]
    return "\n\n".join(
        [
            "### Agents in the Tartarus maze",
            agents.table(race),
            f"Best settings at an end of their list: {ends or 'none'}.",
            "### Adaptation of entorhinal cortex",
            brain.table(brain_of(rows["brain"])),
            "### Cells of one rat on a W-maze",
            "| model | mean bits per spike | units predicted best, p < 0.05 |\n|---|---|---|\n"
            + "\n".join(counts),
        ]
    )


PARTS = {"agents": race_arrays, "brain": brain_arrays, "cells": cell_arrays}
