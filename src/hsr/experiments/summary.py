"""What the ledger says, in words: groups of claims, and lines of numbers.

Everything here is written from rows of the ledger as data (`hsr.experiments.ledger_file.rows_of`),
so that text and numbers cannot differ. The results page and the README keep what is written by hand
outside of their markers.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hsr import InputError
from hsr.experiments.ledger import ALPHA, DEPENDS
from hsr.experiments.ledger_file import NO_EVIDENCE, Row

TUNED = "tuned step sizes"  # the name of the control at tuned rates, and how others of it begin
_AT_THE_RATE = {"reproduced": "holds"}
_OWN = {"reproduced": "holds", "not reproduced": "does not hold", "opposite": "the other way"}
_LINE = ("compared", "measure", "difference", "effect", "p", "agree", "single", "outcome")
_TITLES = {
    "holds": "What holds over worlds",
    "at_the_rate": "What holds at the paper's settings only",
    "depends": "What depends on the measure",
    "open": "What cannot be told",
    "fails": "What does not hold, or comes out the other way",
    "missing": "What has no evidence",
}
_GROUP_OF = {
    "reproduced": "holds",
    "cannot tell": "open",
    "not reproduced": "fails",
    "opposite": "fails",
    DEPENDS: "depends",
    NO_EVIDENCE: "missing",
}


@dataclass(frozen=True)
class Summary:
    """The ledger in words.

    Parameters
    ----------
    rows : sequence of dict
        The ledger, as `hsr.experiments.ledger_file.rows_of` returns it.
    """

    rows: Sequence[Row]

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
            found[_TITLES[_group(row)]].append(row)
        return {title: rows for title, rows in found.items() if rows}

    @property
    def sample(self) -> str:
        """How many worlds the claims were judged in, in words; empty if there are none."""
        numbers = sorted({row["worlds"] for row in self.rows if row["worlds"]})
        if not numbers:
            return ""
        return f"{' to '.join(f'{n:,}' for n in dict.fromkeys((numbers[0], numbers[-1])))} worlds"

    def rows_of(self, experiment: str) -> list[Row]:
        """Return the rows of an experiment's claims."""
        return [row for row in self.rows if row["experiment"] == experiment]

    def counts(self, experiment: str) -> dict[str, int]:
        """Return how many claims of an experiment have each verdict, the most frequent first."""
        return dict(Counter(row["verdict"] for row in self.rows_of(experiment)).most_common())


def _group(row: Row) -> str:
    """Return the group of a claim: those that fail at tuned rates hold at the paper's only."""
    tuned = {row["controls"].get(name, "cannot tell") for name in (TUNED, f"{TUNED} and discounts")}
    if row["verdict"] == "reproduced" and not tuned <= {"reproduced", "cannot tell"}:
        return "at_the_rate"
    return _GROUP_OF[row["verdict"]]


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


def lines_of(one: Row) -> list[dict[str, str]]:
    """Return a comparison in words, one line for each measure.

    A line has ``compared``, ``measure``, ``difference``, ``effect``, ``p``, ``agree``, ``single``
    and ``outcome``. What belongs to the measure that judges stands in its line alone. P-values and
    outcomes in brackets are not corrected, and decide nothing.
    """
    if not one["measures"]:
        return [dict.fromkeys(_LINE, "") | {"compared": one["what"], "outcome": one["outcome"]}]
    found = []
    pair = one["what"].replace(f"{one['measures'][0]['measure']}, ", "")
    for k, by in enumerate(one["measures"]):
        cut = f" ({one['censored']:.0%} cut off)" if k == 0 and one["censored"] else ""
        p = one["p_corrected"] if by["judges"] else None
        words = f"({by['p']:.1g})" if p is None else f"{p:.1g}"
        shown = by["judges"] and p is not None
        brackets = "{}" if shown else "({})"
        found.append(
            {
                "compared": "" if k else pair,
                "measure": f"{by['measure']}{cut}",
                "difference": "{:.2g} [{:.2g}, {:.2g}]".format(
                    by["difference"], *by["difference_interval"]
                ),
                "effect": "–" if by["effect"] is None else f"{by['effect']:.2f}",
                "p": words,
                "agree": share(one["agree"]) if shown else "",
                "single": "" if k else single_worlds(one),
                "outcome": brackets.format(one["outcome"]) if by["judges"] else "",
            }
        )
    return found


def at_rates(row: Row) -> str:
    """Return the verdicts at the given rate and at tuned rates, in one line.

    Empty for a claim about which step sizes say nothing.

    Examples
    --------
    >>> at_rates(
    ...     {
    ...         "verdict": "reproduced",
    ...         "controls": {
    ...             "tuned step sizes": "opposite",
    ...             "tuned step sizes and discounts": "opposite",
    ...         },
    ...     }
    ... )
    'holds at the given rate; at tuned rates: opposite; at tuned rates and discounts: opposite'
    """
    tuned = {name: word for name, word in row["controls"].items() if name.startswith(TUNED)}
    if not tuned:
        return ""
    parts = [f"{_AT_THE_RATE.get(row['verdict'], row['verdict'])} at the given rate"]
    for name, word in tuned.items():
        also, _, slip = name.removeprefix(TUNED).partition(", ")
        parts.append(f"{f'in {slip}' if slip else f'at tuned rates{also}'}: {word}")
    return "; ".join(parts)


def own_words(row: Row) -> str:
    """Return the verdicts on a claim of our own, which nobody reproduces, and those of controls.

    Examples
    --------
    >>> own_words({"verdict": "reproduced", "controls": {"slip": "opposite"}})
    'holds; slip: the other way'
    """
    verdict: str = row["verdict"]
    controls = [f"{name}: {_OWN.get(word, word)}" for name, word in row["controls"].items()]
    return "; ".join([_OWN.get(verdict, verdict), *controls])


def in_units(row: Row) -> str:
    """Return the means and the difference of a claim's weakest comparison, with its interval."""
    if row["difference"] is None:
        return ""
    found = "{:.3g} [{:.3g}, {:.3g}]".format(row["difference"], *row["difference_interval"])
    means = [f"{mean:.3g}" for mean in row["means"] if mean is not None]
    return f"{row['what']}: {' and '.join(means)}{'; ' if means else ''}{found}"


def chosen_lines(row: Row) -> list[str]:
    """Return which settings each control chose for the agents of a claim, one line per control.

    Examples
    --------
    >>> compared = {"chosen": {"SR rows": "rate 0.1"}, "at_end": []}
    >>> chosen_lines({"of_controls": {"tuned step sizes": [compared]}})
    ['tuned step sizes, chosen in other worlds: SR rows at rate 0.1.']
    """
    found = []
    for control, compared in row.get("of_controls", {}).items():
        chosen = {name: words for one in compared for name, words in one["chosen"].items()}
        ends = dict.fromkeys(end for one in compared for end in one["at_end"])
        if chosen:
            words = "; ".join(f"{name} at {values}" for name, values in chosen.items())
            weak = f" At an end of its list: {', '.join(ends)}." if ends else ""
            found.append(f"{control}, chosen in other worlds: {words}.{weak}")
    return found


def share(x: float | None) -> str:
    """Return a share in per cent, empty if there is none."""
    return "" if x is None else f"{x:.0%}"


def single_worlds(row: Row) -> str:
    """Return the shares of single worlds that say as claimed, and the other way."""
    if row["as_claimed"] is None:
        return ""
    return f"{row['as_claimed']:.0%} / {row['other_way']:.0%}"


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


def _effect(row: Row) -> str:
    """Return effect and interval. What is infinite is None in a row, and has a known sign."""
    effect, (low, high) = row["effect"], row["interval"]
    if effect is None:
        effect = low = high = math.copysign(math.inf, row["difference"])
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    return f"{row['effect_name']} = {effect:.2f} [{low:.2f}, {high:.2f}]"
