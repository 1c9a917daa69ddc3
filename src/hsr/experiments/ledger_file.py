"""The ledger as plain data: what `hsr ledger --json` prints and `docs/results/ledger.json` holds.

There is one row for each claim, in the order of the ledger. All text about verdicts, in the report,
the results page and the README, is written from these rows (`hsr.experiments.summary`).
"""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hsr import InputError
from hsr._base.durable import write_text
from hsr.experiments import catalogue
from hsr.experiments.experiment import Experiment
from hsr.experiments.ledger import Evidence, Verdict, outcome
from hsr.experiments.stats import Comparison

Row = dict[str, Any]
NO_EVIDENCE = "no evidence"
_DIGITS = 6
_SHARES = ("agree", "between", "censored", "as_claimed", "other_way", "undecided")
_FIELDS = (
    "what", "predicted", "outcome", "measure", "effect_name", "effect", "interval", "difference",
    "difference_interval", "means", "p", "smallest_p", "bound", "p_corrected", "worlds", "seeds",
    "test", "at_ceiling", "chosen", "at_end", *_SHARES,
)  # fmt: skip
_IN_SHORT = (
    "what", "outcome", "measure", "difference", "difference_interval", "effect", "interval",
    "means", "p_corrected", "worlds", "seeds", "chosen", "at_end",
)  # fmt: skip


def rows_of(found: Sequence[Verdict], experiments: Iterable[Experiment] = ()) -> list[Row]:
    """Return the ledger as plain data, which can be written as strict JSON.

    Parameters
    ----------
    found : sequence of Verdict
        Verdicts of the ledger and of its controls, in any order.
    experiments : iterable of Experiment
        Experiments of your own, whose claims come after those of the paper. Others are left out.

    Returns
    -------
    list of dict
        One row per claim. A row has

        - ``claim``, ``figure``, ``text``, ``paper``, ``experiment``: what is claimed, and where;
        - ``verdict`` and ``sentence``: what was found, in words;
        - ``by_paper`` and ``by_other``: the verdicts by the measure of the paper alone, and by the
          one that cuts nothing off;
        - the fields of its weakest comparison, without its ``measures``;
        - ``comparisons``: every comparison that decides, and ``also``, those that are only shown,
          whose outcomes are by p-values without correction;
        - ``controls``: verdicts by the name of the control, and ``of_controls``, the comparisons
          behind them in short, those that are only shown included.

        A comparison has

        - ``what``, ``predicted`` and ``outcome``: what is compared and what it says;
        - ``measure``: the measure that judges, and ``at_ceiling``, whether it does so because that
          of the paper cuts off too many runs;
        - ``effect_name``, ``effect``, ``interval``, ``difference``, ``difference_interval``,
          ``means``, ``p``, ``p_corrected`` and ``smallest_p``, as in
          `hsr.experiments.stats.Comparison`;
        - ``bound``: differences that count as none, in units of the measure, or None;
        - ``worlds`` and ``seeds``: number of worlds, and of seeds in each;
        - ``agree``, ``between``, ``censored``, ``as_claimed``, ``other_way``, ``undecided`` and
          ``test``, as in `hsr.experiments.stats.OverWorlds`;
        - ``chosen``: settings that were chosen for the agents in other worlds, by agent, and
          ``at_end``, which of them lie at an end of their list;
        - ``measures``: the same numbers by each measure, that of the paper first, and whether it
          ``judges``.

        Numbers have six digits. Those that do not exist or are not finite are None, such as all
        numbers of an exact check.
    """
    ledger = {one.claim: one for one in found if not one.control}
    own = {one.name: one for one in experiments if one.source}
    rows = []
    for experiment in (*map(catalogue.find, catalogue.names()), *own.values()):
        for claim in experiment.claims:
            under = [one for one in found if one.claim == claim.id and one.control]
            words = {
                "claim": claim.id,
                "experiment": experiment.name,
                "figure": claim.figure,
                "text": claim.text,
                "paper": claim.paper,
            }
            controls = {
                "controls": {one.control: one.word for one in under},
                "of_controls": {one.control: _in_short(one) for one in under},
            }
            rows.append({**words, **_verdict(ledger.get(claim.id)), **controls})
    return rows


def _verdict(found: Verdict | None) -> Row:
    if found is None:
        nothing = {"verdict": NO_EVIDENCE, "by_paper": None, "by_other": None, "sentence": ""}
        return {**nothing, **_numbers(None, math.nan), "comparisons": [], "also": []}
    return {
        "verdict": found.word,
        "by_paper": found.by_paper,
        "by_other": found.by_other,
        "sentence": found.sentence,
        **_numbers(*found.weakest),
        "comparisons": list(map(_comparison, found.evidence, found.p)),
        "also": [_comparison(one, math.nan) for one in found.also],
    }


def as_json(rows: Iterable[Row]) -> str:
    """Return rows of the ledger as strict JSON, one field per line, in alphabetical order."""
    return json.dumps(list(rows), indent=1, sort_keys=True, allow_nan=False) + "\n"


def write_ledger(rows: Iterable[Row], path: Path) -> Path:
    """Write rows of the ledger into a JSON file, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, as_json(rows))
    return path


def read_ledger(path: Path) -> list[Row]:
    """Return the rows of a ledger that `write_ledger` wrote.

    Raises
    ------
    InputError
        If the file has no such rows.
    """
    rows = read_json(path)
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and {"claim", "verdict", "comparisons"} <= set(row) for row in rows
    ):
        raise InputError(f"{path} has no rows of a ledger; expected a list with one row per claim")
    return rows


def read_json(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises
    ------
    InputError
        If it is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from None


def _comparison(one: Evidence, p: float) -> Row:
    """Return a comparison with its numbers by each measure; p is NaN if it does not decide."""
    both = [(one.comparison, one.measure, one.bound)]
    both += [(one.beside, one.beside_measure, one.beside_bound)]
    measures = [
        {"measure": measure, "judges": it is one.judged, **_statistics(it, bound)}
        for it, measure, bound in both
        if it is not None
    ]
    return {**_numbers(one, p), "measures": measures}


def _in_short(found: Verdict) -> list[Row]:
    """Return the comparisons of a control without what only the ledger's own need."""
    pairs = [*zip(found.evidence, found.p, strict=True), *((one, math.nan) for one in found.also)]
    return [
        {name: _numbers(one, p)[name] for name in _IN_SHORT} | {"decides": one.decides}
        for one, p in pairs
    ]


def _numbers(one: Evidence | None, p: float) -> Row:
    """Return what is compared and its numbers, None for all that there are not."""
    numbers: Row = dict.fromkeys(_FIELDS)
    if one is None:
        return numbers
    alone = one.judged.p if math.isnan(p) and one.judged is not None else p
    numbers |= {"what": one.what, "predicted": one.predicted, "outcome": outcome(one, alone)}
    numbers |= {"chosen": dict(one.chosen), "at_end": list(one.at_end)}
    judged = one.judged
    if judged is None:
        return numbers
    of = one.worlds
    return numbers | {
        "measure": one.judged_by or None,
        "at_ceiling": one.at_ceiling,
        **_statistics(judged, one.judged_bound),
        "p_corrected": _number(p),
        "worlds": None if of is None else of.worlds,
        "seeds": min(judged.n) if of is None else of.seeds,
        "test": judged.test if of is None else of.test,
        **{name: None if of is None else _number(getattr(of, name)) for name in _SHARES},
    }


def _statistics(it: Comparison, bound: float) -> Row:
    return {
        "effect_name": it.effect_name,
        "effect": _number(it.effect),
        "interval": [_number(end) for end in it.effect_interval],
        "difference": _number(it.difference),
        "difference_interval": [_number(end) for end in it.difference_interval],
        "means": [_number(mean) for mean in it.means],
        "p": _number(it.p),
        "smallest_p": _number(it.smallest_p),
        "bound": bound or None,
    }


def _number(x: float) -> float | None:
    return float(f"{x:.{_DIGITS}g}") if math.isfinite(x) else None
