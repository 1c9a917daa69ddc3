"""The ledger as plain data: what `hsr ledger --json` prints and `docs/results/ledger.json` holds.

There is one row for each claim, with its statements, and for each statement the verdict and the
numbers in every column. All text about verdicts, in the report, the results pages and the README,
is written from these rows (`hsr.experiments.summary`).
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hsr import InputError
from hsr._base.durable import write_text
from hsr.experiments.experiment import Experiment
from hsr.experiments.ledger import PAPER, Evidence, Judged, judge
from hsr.experiments.stats import Comparison

Row = dict[str, Any]
_DIGITS = 6
# The fields that a row needs to be written in words, with their types.
_OF_CLAIM = dict.fromkeys(("claim", "experiment", "figure", "text", "paper"), str)
_OF_STATEMENT = {
    **dict.fromkeys(("statement", "quote", "what", "by_construction"), str),
    "predicted": int,
}
_NUMBERS = ("effect", "p", "smallest_p", "difference", "censored", "as_claimed", "other_way")
_OF_FOUND = {
    **dict.fromkeys(("variant", "verdict", "what"), str),
    **dict.fromkeys(_NUMBERS, float | int | None),
    "worlds": int | None,
    "measure": str | None,
    "chosen": dict,
    "at_end": list,
}
_OF_INTERVAL = dict.fromkeys(("low", "high"), float | int | None)
_SHARES = ("agree", "between", "censored", "as_claimed", "other_way", "undecided")


def rows_of(experiment: Experiment, evidence: Sequence[Evidence]) -> list[Row]:
    """Return the claims of an experiment with their verdicts, as strict JSON can hold them.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    evidence : sequence of Evidence
        What its setting and its variants found.

    Returns
    -------
    list of dict
        One row per claim. A row has

        - ``claim``, ``experiment``, ``figure``, ``text`` and ``paper``: what is claimed, and where;
        - ``statements``: what the claim consists of, and ``also``, what is only shown beside it.

        A statement has

        - ``statement``, ``quote``, ``what``, ``predicted`` and ``by_construction``: what it says;
        - ``columns``: by the name of the column, a list of what each variant found.

        What a variant found has

        - ``variant``: its name, empty in the first column, ``verdict``, one of
          `hsr.experiments.ledger.WORDS`, and ``reason``, the rule that gave it;
        - ``measure``: the measure that judges, and ``bound``, differences that count as none in its
          units, or None;
        - ``difference``, ``difference_interval``, ``means``, ``effect``, ``effect_name``,
          ``interval``, ``p``, ``p_corrected`` and ``smallest_p``, as in
          `hsr.experiments.stats.Comparison`;
        - ``worlds`` and ``seeds``: number of worlds, and of seeds in each, and ``agree``,
          ``between``, ``censored``, ``as_claimed``, ``other_way``, ``undecided`` and ``test``, as
          in `hsr.experiments.stats.OverWorlds`;
        - ``chosen``: settings that were chosen for the agents in other worlds, by agent, and
          ``at_end``, which of them lie at an end of their list;
        - ``measures``: the numbers by each measure, that of the paper first.

        Numbers have six digits. Those that do not exist or are not finite are None, such as all
        numbers of an exact check.
    """
    judged = judge(evidence)
    rows = []
    for claim in experiment.claims:
        own = [one for one in judged if one.evidence.claim == claim.id]
        words = {
            "claim": claim.id,
            "experiment": experiment.name,
            "figure": claim.figure,
            "text": claim.text,
            "paper": claim.paper,
        }
        statements = _statements(one for one in own if one.evidence.decides)
        also = _statements(one for one in own if not one.evidence.decides)
        rows.append({**words, "statements": statements, "also": also})
    return rows


def _statements(found: Iterable[Judged]) -> list[Row]:
    """Return statements in the order of the first column, each with what all variants found."""
    by_words: dict[str, list[Judged]] = {}
    for one in found:
        by_words.setdefault(one.evidence.says, []).append(one)
    rows = []
    for says, some in by_words.items():
        first = some[0].evidence
        columns: dict[str, list[Row]] = {}
        for one in some:
            columns.setdefault(one.evidence.column, []).append(_found(one))
        rows.append(
            {
                "statement": says,
                "quote": first.quote,
                "what": first.what,
                "predicted": first.predicted,
                "by_construction": first.by_construction if PAPER in columns else "",
                "columns": columns,
            }
        )
    return rows


def _found(judged: Judged) -> Row:
    """Return what one variant found, with the numbers of the measure that judges."""
    one, it = judged.evidence, judged.evidence.judged
    found: Row = {
        "variant": one.variant,
        "verdict": judged.word,
        "reason": judged.reason,
        "what": one.what,
        "chosen": dict(one.chosen),
        "at_end": list(one.at_end),
        "measure": one.judged_by or None,
        **_statistics(it, one.judged_bound),
        "p_corrected": _number(judged.p) if one.counts and one.predicted else None,
    }
    of = one.worlds
    numbers = {name: None if of is None else _number(getattr(of, name)) for name in _SHARES}
    sample = {name: None if of is None else getattr(of, name) for name in ("worlds", "seeds")}
    both = [(one.comparison, one.measure, one.bound)]
    both += [(one.beside, one.beside_measure, one.beside_bound)]
    measures = [
        {"measure": measure, "judges": by is it, **_statistics(by, bound)}
        for by, measure, bound in both
        if by is not None
    ]
    test = {"test": None if of is None else of.test}
    return {**found, **sample, **numbers, **test, "measures": measures}


def _statistics(it: Comparison | None, bound: float) -> Row:
    names = ("effect_name", "effect", "difference", "p", "smallest_p")
    pairs = {
        "interval": "effect_interval",
        "difference_interval": "difference_interval",
        "means": "means",
    }
    if it is None:
        return dict.fromkeys((*names, *pairs, "bound"))
    found = {name: getattr(it, name) for name in names}
    numbers = {name: x if isinstance(x, str) else _number(x) for name, x in found.items()}
    both = {name: [_number(x) for x in getattr(it, of)] for name, of in pairs.items()}
    return {**numbers, **both, "bound": bound or None}


def _number(x: float) -> float | None:
    return float(f"{x:.{_DIGITS}g}") if math.isfinite(x) else None


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
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from None
    return checked(rows, str(path))


def checked(rows: Any, where: str) -> list[Row]:
    """Return rows of a ledger as they are, if each of their parts has its fields.

    Raises
    ------
    InputError
        If one lacks a field or has another type, because another version or something else wrote
        it.
    """
    try:
        if not isinstance(rows, list):
            raise TypeError
        for row in rows:
            _check_types(row, _OF_CLAIM)
            for one in (*row["statements"], *row["also"]):
                _check_types(one, _OF_STATEMENT)
                for found in (found for some in one["columns"].values() for found in some):
                    _check_types(found, _OF_FOUND)
                    if found["difference"] is not None:
                        low, high = found["difference_interval"]
                        _check_types({"low": low, "high": high}, _OF_INTERVAL)
    except (TypeError, AttributeError, KeyError, ValueError, OverflowError):
        raise InputError(f"{where} has no rows of a ledger as this version writes them") from None
    return rows


def _check_types(row: Row, kinds: Mapping[str, Any]) -> None:
    for name, kind in kinds.items():
        value = row[name]
        if not isinstance(value, kind):
            raise TypeError
        if isinstance(value, int):
            float(value)  # an integer may be too large to be written as a number of few digits
