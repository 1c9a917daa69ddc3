"""What a joint search could have found: every verdict occurs, and one claim has none."""

import re

from hsr.paper.ledger import claims
from hsr.paper.multiverse.figure import SYMBOLS
from hsr.paper.multiverse.joint import Effect, JointOutcome, JointPlan, Row, Stage
from hsr.paper.multiverse.reading import Reading
from hsr.paper.multiverse.scoring import Chance, Value

PLAN = JointPlan(
    stages=(Stage(worlds=7, seeds=3, keep=11), Stage(worlds=13, seeds=1, keep=2, slow_worlds=5)),
    confirm=Stage(worlds=29, seeds=2, map_worlds=17, slow_worlds=6),
    permutations=123,
)
WORDS = ("reproduced", "not reproduced", "cannot tell", "opposite")


def row(shift, every, **changes):
    """Return a reading under which every so manieth claim is reproduced."""
    names = [claim.id for claim in claims()]
    words = {
        name: "reproduced" if (k + shift) % every == 0 else WORDS[1 + (k * k + shift) % 3]
        for k, name in enumerate(names[:-1])
    }
    count = list(words.values()).count("reproduced")
    return Row(Reading.model_validate(changes), words, Value(count, count + 0.5))


def made_up_joint(found=2):
    """Return an outcome with some readings next to the default."""
    others = [row(k, 3, ties="options", map_rate="0.1", signs="svd") for k in range(found)]
    closest = row(0, 2, ties="options", explore_with="primitives")
    return JointOutcome(
        plan=PLAN,
        claims=tuple(claim.id for claim in claims()),
        tried=(1234, 19, found + 1),
        effects=(
            Effect("explore_with", 0.41, 1.75, "primitives"),
            Effect("ties", 0.123, 0.5, "options"),
            Effect("learning_rate", 0.05, 0.25, "0.01"),
            Effect("nmf_seed", -0.001, 0.125, "2"),
        ),
        rows=(row(1, 5), *others),
        chance=Chance(123, 1.0 / 3.0, 2),
        closest=closest,
        needed={"explore_with": 3, "ties": 0},
    )


def closest_column(page):
    """Return the verdicts of the last column of the table of readings on a results page."""
    part = page.partition("## One reading for the whole paper")[2].partition("\n## ")[0]
    words = {symbol: word for word, symbol in SYMBOLS.items()}
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|.* (\S) \|$", part, re.MULTILINE)
    return {claim: words[symbol] for claim, symbol in rows if symbol in words}
