"""What the ledger says, in words: groups of claims, lines of numbers, and what has changed.

Everything here is written from rows of the ledger as data (`hsr.paper.ledger_file.rows_of`), so
that text and numbers cannot differ. The results page and the README keep what is written by hand
outside of their markers.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hsr import InputError
from hsr.paper.ledger import ALPHA
from hsr.paper.ledger_file import NO_EVIDENCE, Row, read_json

TUNED = "tuned step sizes"  # the name of the control at tuned rates, and how others of it begin
_AT_THE_RATE = {"reproduced": "holds"}
_TITLES = {
    "holds": "What holds over worlds",
    "open": "What cannot be told",
    "fails": "What does not hold, or comes out the other way",
    "missing": "What has no evidence",
}
_GROUP_OF = {
    "reproduced": "holds",
    "cannot tell": "open",
    "not reproduced": "fails",
    "opposite": "fails",
    NO_EVIDENCE: "missing",
}


@dataclass(frozen=True)
class Summary:
    """The ledger with what stands next to it in the folder of the results.

    Parameters
    ----------
    rows : sequence of dict
        The ledger, as `hsr.paper.ledger_file.rows_of` returns it.
    before : mapping of str to str
        Verdicts by claim when the paper's one world was all the evidence.
    """

    rows: Sequence[Row]
    before: Mapping[str, str] = field(default_factory=dict)

    @property
    def banner(self) -> str:
        """A warning if no test can be significant in so few worlds, else empty."""
        tested = [one for row in self.rows for one in row["comparisons"] if one["worlds"]]
        if not tested or any(one["smallest_p"] < ALPHA for one in tested):
            return ""
        most = max(tested, key=lambda one: one["worlds"])
        return (
            f"Nothing here is evidence. No test of {most['worlds']} worlds can be significant: its "
            f"smallest p-value is {most['smallest_p']:.2g}. Use --preset paper."
        )

    @property
    def groups(self) -> dict[str, list[Row]]:
        """The claims by the titles of their groups, without empty groups."""
        found: dict[str, list[Row]] = {title: [] for title in _TITLES.values()}
        for row in self.rows:
            found[_TITLES[_GROUP_OF[row["verdict"]]]].append(row)
        return {title: rows for title, rows in found.items() if rows}

    @property
    def sample(self) -> str:
        """How many worlds the claims were judged in, in words; empty if there are none."""
        numbers = sorted({row["worlds"] for row in self.rows if row["worlds"]})
        if not numbers:
            return ""
        return f"{' to '.join(f'{n:,}' for n in dict.fromkeys((numbers[0], numbers[-1])))} worlds"

    @property
    def overturned(self) -> list[str]:
        """One line for each claim whose verdict differs from that in a single world."""
        return [
            f"`{row['claim']}`: {self.before[row['claim']]} in a single world, now "
            f"{row['verdict']}{_in_brackets(row)}."
            for row in self.rows
            if row["verdict"] not in (NO_EVIDENCE, self.before.get(row["claim"], row["verdict"]))
        ]

    def rows_of(self, experiment: str) -> list[Row]:
        """Return the rows of an experiment's claims."""
        return [row for row in self.rows if row["experiment"] == experiment]

    def counts(self, experiment: str) -> dict[str, int]:
        """Return how many claims of an experiment have each verdict, the most frequent first."""
        return dict(Counter(row["verdict"] for row in self.rows_of(experiment)).most_common())


def read_summary(rows: Sequence[Row], folder: Path) -> Summary:
    """Return a ledger with the files of a folder of results that stand next to it, if they exist.

    Parameters
    ----------
    rows : sequence of dict
        The ledger.
    folder : Path
        Where ``single_world_verdicts.json`` may be.
    """
    before = folder / "single_world_verdicts.json"
    return Summary(rows, read_json(before) if before.exists() else {})


def numbers_of(row: Row) -> str:
    """Return the numbers of a claim's weakest comparison: effect, sample, and what worlds say."""
    if row["effect_name"] is None:
        return row["sentence"]
    words = f"{_effect(row)}, corrected p = {row['p_corrected']:.2g}, "
    if row["worlds"] is None:
        return f"{words}{row['seeds']} seeds"
    return (
        f"{words}{row['worlds']} worlds x {row['seeds']} seeds; {row['agree']:.0%} of worlds agree;"
        f" single worlds: {row['as_claimed']:.0%} as claimed, {row['other_way']:.0%} the other way"
    )


def line_of(row: Row) -> str:
    """Return the verdict of a claim with its numbers, and the verdicts at tuned rates."""
    words = [f"*{row['verdict']}*.", row["sentence"]]
    if row["effect_name"] is not None:
        n = len(row["comparisons"])
        which = "" if n == 1 else f"the weakest of {n} comparisons, "
        by = f" (judged by {row['measure']})" if row["at_ceiling"] else ""
        words[1] = _sentence(f"{which}{row['what']}{by}: {numbers_of(row)}")
    words.append(_sentence(at_rates(row)) if at_rates(row) else "")
    return " ".join(filter(None, words))


def at_rates(row: Row) -> str:
    """Return the verdicts at the given rate and at tuned rates, in one line.

    Empty for a claim about which step sizes say nothing.

    Examples
    --------
    >>> at_rates(
    ...     {
    ...         "verdict": "reproduced",
    ...         "controls": {
    ...             "tuned step sizes": "not reproduced",
    ...             "tuned step sizes, slip 0.1": "cannot tell",
    ...         },
    ...     }
    ... )
    'holds at the given rate; at tuned rates: not reproduced; in slip 0.1: cannot tell'
    """
    tuned = {name: word for name, word in row["controls"].items() if name.startswith(TUNED)}
    if not tuned:
        return ""
    parts = [f"{_AT_THE_RATE.get(row['verdict'], row['verdict'])} at the given rate"]
    for name, word in tuned.items():
        rest = name.removeprefix(TUNED).removeprefix(", ")
        parts.append(f"{f'in {rest}' if rest else 'at tuned rates'}: {word}")
    return "; ".join(parts)


def share(x: float | None) -> str:
    """Return a share in per cent, empty if there is none."""
    return "" if x is None else f"{x:.0%}"


def single_worlds(row: Row) -> str:
    """Return the shares of single worlds that say as claimed, and the other way."""
    if row["as_claimed"] is None:
        return ""
    return f"{row['as_claimed']:.0%} / {row['other_way']:.0%}"


def cut_off(row: Row) -> str:
    """Return the share of runs that the paper's measure cuts off, and if another one judges."""
    if row["censored"] is None or all(one["beside"] is None for one in row["comparisons"]):
        return ""
    return share(row["censored"]) + ("; another measure judges" if row["at_ceiling"] else "")


def between_markers(text: str, markers: tuple[str, str], inside: str) -> str:
    r"""Return a text with what stands between two markers replaced.

    Parameters
    ----------
    text : str
        A text that has both markers, each once and on a line of its own.
    markers : (str, str)
        The markers.
    inside : str
        What to write between them.

    Raises
    ------
    InputError
        If a marker is missing, is there twice, or comes too late.

    Examples
    --------
    >>> between_markers("by hand <a> old <b> by hand", ("<a>", "<b>"), "new")
    'by hand <a>\n\nnew\n\n<b> by hand'
    """
    first, second = markers
    for one in markers:
        if text.count(one) != 1:
            raise InputError(f"the text has {text.count(one)} markers {one!r}; it must have one")
    before, _, rest = text.partition(first)
    if second not in rest:
        raise InputError(f"the marker {second!r} must come after {first!r}")
    return f"{before}{first}\n\n{inside.strip()}\n\n{second}{rest.partition(second)[2]}"


def _in_brackets(row: Row) -> str:
    return "" if row["effect_name"] is None else f" ({numbers_of(row)})"


def _effect(row: Row) -> str:
    """Return effect and interval. What is infinite is None in a row, and has a known sign."""
    effect, (low, high) = row["effect"], row["interval"]
    if effect is None:
        effect = low = high = math.copysign(math.inf, row["difference"])
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    return f"{row['effect_name']} = {effect:.2f} [{low:.2f}, {high:.2f}]"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
