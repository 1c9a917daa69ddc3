"""What the ledger says, in words: counts of statements, groups of them, and lines of numbers.

Everything here is written from rows of the ledger as data (`hsr.experiments.ledger_file.rows_of`),
so that text and numbers cannot differ. Pages keep what is written by hand outside of their markers.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hsr import InputError
from hsr.experiments.ledger import (
    ALPHA,
    BY_CONSTRUCTION,
    CANNOT_TELL,
    COLUMNS,
    DEPENDS,
    HOLDS,
    PAPER,
    WORDS,
)
from hsr.experiments.ledger_file import Row

NOT_ASKED, DEPENDS_ON_VARIANT = "not asked", "differs between variants"
_GROUPS = {
    "everywhere": "Holds in the paper's setting, and in every other column that was asked",
    "here": "Holds in the paper's setting, and not in every other column",
    "open": "Undecided in the paper's setting",
    "fails": "Does not hold in the paper's setting",
    "construction": "True by construction, and not counted",
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
    def statements(self) -> list[tuple[Row, Row]]:
        """Every statement with its claim, in the order of the ledger."""
        return [(row, one) for row in self.rows for one in row["statements"]]

    @property
    def banner(self) -> str:
        """A warning if no test can be significant in so few worlds, else empty."""
        tested = [one for one in self._found(PAPER) if one["worlds"] and one["smallest_p"]]
        if not tested or any(one["smallest_p"] < ALPHA for one in tested):
            return ""
        most = max(tested, key=lambda one: one["worlds"])
        return (
            f"Nothing here is evidence. No test of {most['worlds']} worlds can be significant: its "
            f"smallest p-value is {most['smallest_p']:.2g}. Run more worlds (--worlds), or the "
            "whole setting (--preset paper)."
        )

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """By verdict, the number of statements in each column; what is never found is left out."""
        found: dict[str, Counter[str]] = {column: Counter() for column in COLUMNS}
        for _, one in self.statements:
            if not one["by_construction"]:
                for column in COLUMNS:
                    found[column][_summed(one, column)] += 1
        words = (*WORDS, DEPENDS_ON_VARIANT, NOT_ASKED)
        table = {word: {column: found[column][word] for column in COLUMNS} for word in words}
        return {word: numbers for word, numbers in table.items() if any(numbers.values())}

    @property
    def in_short(self) -> dict[str, dict[str, int]]:
        """The number of statements in each column that hold, do not hold and are not decided."""
        table = {word: dict.fromkeys(COLUMNS, 0) for word in ("hold", "do not hold", "undecided")}
        for word, numbers in self.counts.items():
            if word != NOT_ASKED:
                open_ = word in (CANNOT_TELL, DEPENDS, DEPENDS_ON_VARIANT)
                row = "hold" if word == HOLDS else "undecided" if open_ else "do not hold"
                for column, n in numbers.items():
                    table[row][column] += n
        return table

    @property
    def groups(self) -> dict[str, list[tuple[Row, Row]]]:
        """Statements with their claims, by the titles of their groups, without empty groups."""
        found: dict[str, list[tuple[Row, Row]]] = {title: [] for title in _GROUPS.values()}
        for row, one in self.statements:
            found[_GROUPS[_group(one)]].append((row, one))
        return {title: some for title, some in found.items() if some}

    @property
    def counted(self) -> int:
        """The number of statements that count."""
        return sum(not one["by_construction"] for _, one in self.statements)

    @property
    def by_claim(self) -> dict[str, list[tuple[str, int, int]]]:
        """By the title of a group, each claim with statements in it: how many, and of how many.

        What is true by construction does not count in the total.
        """
        total = Counter(row["claim"] for row, one in self.statements if not one["by_construction"])
        found = {
            title: Counter(row["claim"] for row, _ in some) for title, some in self.groups.items()
        }
        return {
            title: [(claim, n, total[claim]) for claim, n in counts.items()]
            for title, counts in found.items()
        }

    @property
    def sample(self) -> str:
        """How many worlds statements were judged in, in words; empty if there are none."""
        numbers = sorted({one["worlds"] for one in self._found(PAPER) if one["worlds"]})
        if not numbers:
            return ""
        return f"{' to '.join(f'{n:,}' for n in dict.fromkeys((numbers[0], numbers[-1])))} worlds"

    def rows_of(self, experiment: str) -> list[Row]:
        """Return the rows of an experiment's claims."""
        return [row for row in self.rows if row["experiment"] == experiment]

    def _found(self, column: str) -> Iterator[Row]:
        return (found for _, one in self.statements for found in one["columns"].get(column, ()))


def _summed(statement: Row, column: str) -> str:
    """Return the verdict of a column: the one word of all its variants, or that they differ."""
    words = {found["verdict"] for found in statement["columns"].get(column, ())}
    if not words:
        return NOT_ASKED
    return words.pop() if len(words) == 1 else DEPENDS_ON_VARIANT


def _group(statement: Row) -> str:
    if statement["by_construction"]:
        return "construction"
    word = _summed(statement, PAPER)
    if word != HOLDS:
        return "open" if word in (CANNOT_TELL, DEPENDS, NOT_ASKED) else "fails"
    others = {_summed(statement, column) for column in COLUMNS[1:]}
    return "everywhere" if others <= {HOLDS, NOT_ASKED, BY_CONSTRUCTION} else "here"


def parts_of(row: Row, column: str = PAPER) -> str:
    """Return how many statements of a claim hold in a column, such as "3 of 4 parts".

    Statements that are true by construction are not counted.
    """
    words = [_summed(one, column) for one in row["statements"] if not one["by_construction"]]
    asked = [word for word in words if word != NOT_ASKED]
    if not asked:
        return "by construction" if not words else ""
    holds = asked.count(HOLDS)
    if len(asked) == 1:
        return asked[0]
    return f"{holds} of {len(asked)} parts"


def verdict_of(row: Row) -> str:
    """Return how many statements of a claim hold in the paper's setting, and what others say."""
    counted = [one for one in row["statements"] if not one["by_construction"]]
    if len(counted) < 2:
        return parts_of(row)
    words = Counter(_summed(one, PAPER) for one in counted)
    rest = [f"{n} {word}" for word, n in words.most_common() if word != HOLDS]
    return "; ".join([f"{parts_of(row)} hold", *rest])


def cell(statement: Row, column: str) -> str:
    """Return what a column says about a statement: a verdict, or in how many variants it holds."""
    found = statement["columns"].get(column, ())
    if not found:
        return ""
    if len(found) == 1:
        (one,) = found
        numbers = difference_of(one)
        return f"{one['verdict']}{f': {numbers}' if numbers else ''}"
    words = Counter(one["verdict"] for one in found)
    if len(words) == 1:
        return f"{found[0]['verdict']} in all {len(found)}"
    rest = [f"{n} {word}" for word, n in words.most_common() if word != HOLDS]
    return "; ".join([f"holds in {words[HOLDS]} of {len(found)}", *rest])


def difference_of(found: Row) -> str:
    """Return a difference with its interval; empty for an exact check."""
    if found["difference"] is None:
        return ""
    return "{} [{}, {}]".format(*map(_short, (found["difference"], *found["difference_interval"])))


def _short(x: float | None) -> str:
    """Return a number with two digits, and without an exponent if it has at most six.

    >>> _short(-3180.0), _short(0.0712), _short(None)
    ('-3,200', '0.071', '–')
    """
    if x is None:
        return "–"
    rounded = f"{x:.2g}"
    return f"{float(rounded):,.0f}" if 100.0 <= abs(float(rounded)) < 1e6 else rounded


def measured(found: Row) -> str:
    """Return the measure that judges, and the share of runs that the paper's measure cut off."""
    cut = f" ({found['censored']:.0%} cut off)" if found["censored"] else ""
    return f"{found['measure'] or found['what']}{cut}"


def judged_of(found: Row) -> str:
    """Return a verdict with the rule that gave it; ledgers of earlier versions have no rule."""
    reason = found.get("reason")
    return f"{found['verdict']} ({reason})" if reason else f"{found['verdict']}"


def effect_of(found: Row) -> str:
    """Return the standardised effect. What is infinite is None in a row, and has a known sign."""
    if found["difference"] is None:
        return ""
    effect = found["effect"]
    if effect is None:
        effect = math.copysign(math.inf, found["difference"])
    return f"{effect:.2f}"


def share(x: float | None) -> str:
    """Return a share in per cent, empty if there is none."""
    return "" if x is None else f"{x:.0%}"


def single_worlds(found: Row) -> str:
    """Return the shares of single worlds that say as claimed, and the other way."""
    if found["as_claimed"] is None:
        return ""
    return f"{found['as_claimed']:.0%} / {found['other_way']:.0%}"


def chosen_lines(row: Row) -> list[str]:
    """Return which settings each variant chose for the agents of a claim, one line per variant."""
    lines = []
    by_variant: dict[str, list[Row]] = {}
    for statement in row["statements"]:
        for found in (one for column in statement["columns"].values() for one in column):
            by_variant.setdefault(found["variant"], []).append(found)
    for variant, some in by_variant.items():
        chosen = {name: words for one in some for name, words in one["chosen"].items()}
        ends = dict.fromkeys(end for one in some for end in one["at_end"])
        if chosen:
            words = "; ".join(f"{name} at {values}" for name, values in chosen.items())
            weak = f" At an end of its list: {', '.join(ends)}." if ends else ""
            lines.append(f"{variant}, chosen in other worlds: {words}.{weak}")
    return lines


def sentence_of(statement: Row) -> str:
    """Return a statement with its verdict in one line, for the terminal."""
    (found, *_) = statement["columns"].get(PAPER, [None])
    if found is None:
        return f"{statement['statement']} {NOT_ASKED}"
    verdict = judged_of(found)
    if statement["by_construction"]:
        verdict += f" ({statement['by_construction']})"
    says, numbers = f"{statement['statement'].rstrip('.')}.", []
    if found["difference"] is not None:
        numbers = [f"{measured(found)}: {difference_of(found)}"]
        if statement["statement"] == found["what"]:  # which names the measure
            says = ""
            numbers = [f"{found['what']}: {difference_of(found)}"]
    others = [
        f"{column}: {cell(statement, column)}"
        for column in COLUMNS[1:]
        if statement["columns"].get(column)
    ]
    rest = " ".join(part for part in (says, "; ".join([*numbers, *others])) if part)
    return f"{verdict}: {rest}"


def short_sentences(row: Row) -> list[str]:
    """Return a line per statement of a claim, but one for all that are undecided for one reason."""
    undecided: dict[str, list[Row]] = {}
    lines = []
    for one in row["statements"]:
        (found, *_) = one["columns"].get(PAPER, [None])
        if found is not None and found["verdict"] in (CANNOT_TELL, BY_CONSTRUCTION):
            undecided.setdefault(judged_of(found), []).append(one)
        else:
            lines.append(sentence_of(one))
    for verdict, some in undecided.items():
        several = f"{len(some)} statements: {verdict}"
        lines.append(several if len(some) > 1 else sentence_of(some[0]))
    return lines


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
