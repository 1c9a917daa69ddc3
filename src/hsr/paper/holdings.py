"""What a store holds besides the runs of a report, in words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hsr.paper import catalogue
from hsr.paper.changes import write_value
from hsr.paper.runner import jobs_of
from hsr.paper.setting import Setting
from hsr.paper.store import Store

_MOST_GROUPS = 4  # of one experiment
_LONGEST_VALUE = 40
_OTHER_WORLDS = "the same settings in other worlds or combinations"


def others_in(
    store: Store, settings: Iterable[tuple[Any, Setting, Any]], used: frozenset[str]
) -> list[str]:
    """Return a line for each group of runs in a store that a report does not use.

    Parameters
    ----------
    store : Store
        The runs.
    settings : iterable of (Experiment, Setting, object)
        The settings of the report, as `catalogue.settings_of` returns them.
    used : frozenset of str
        Keys of the runs that the report uses.

    Returns
    -------
    list of str
        Each line names an experiment, the number of runs, and the values that no run of the
        reported setting has.
    """
    if used.issuperset(store.keys()):
        return []
    reported = {one.name: (one, setting) for one, setting, _ in settings}
    groups: dict[str, Counter[str]] = {}
    usual: dict[str, set[tuple[str, str]]] = {}
    for key, entry in store.index().items():
        if key in used:
            continue
        name = entry.experiment
        if name not in usual and name in reported:
            of_runs = (job.setting for job in jobs_of(*reported[name]))
            usual[name] = {pair for of_run in of_runs for pair in _pairs(of_run, "")}
        new = [pair for pair in _pairs(entry.setting, "") if pair not in usual.get(name, ())]
        words = ", ".join(f"{path}={value}" for path, value in sorted(new)) or _OTHER_WORLDS
        groups.setdefault(name, Counter())[words if name in reported else ""] += 1
    ordered = sorted(groups, key=[*catalogue.all_names(), *groups].index)
    return [line for name in ordered for line in _lines(name, groups[name])]


def _lines(name: str, groups: Counter[str]) -> Iterator[str]:
    shown = groups.most_common(_MOST_GROUPS)
    for words, n in shown:
        yield f"{name}: {n:,} runs{f' with {words}' if words else ''}".replace(
            f"with {_OTHER_WORLDS}", f"of {_OTHER_WORLDS}"
        )
    rest = groups.total() - sum(n for _, n in shown)
    if rest:
        yield f"{name}: {rest:,} runs with other settings"


def _pairs(setting: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for name, value in setting.items():
        if isinstance(value, Mapping):
            yield from _pairs(value, f"{before}{name}.")
        else:
            text = write_value(value)
            yield f"{before}{name}", text if len(text) <= _LONGEST_VALUE else "..."
