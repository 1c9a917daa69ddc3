"""What a joint search says in words, as data, and as the file of the closest reading."""

from pathlib import Path
from typing import Any

from hsr.paper.multiverse.joint import JointOutcome, Row

_HEAD = """\
# The reading under which most claims were confirmed in fresh worlds, with as few changes as needed.
# Written by `hsr multiverse --joint --write-closest`.

"""


def joint_as_data(found: JointOutcome) -> dict[str, Any]:
    """Return a joint search as plain data, for scripts."""

    def row(one: Row) -> dict[str, Any]:
        return {
            "changes": one.reading.changes,
            "count": one.value.reproduced,
            "score": one.value.score,
            "words": one.words,
        }

    return {
        "claims": list(found.claims),
        "tried": list(found.tried),
        "readings": [row(one) for one in found.rows],
        "closest": row(found.closest),
        "needed": found.needed,
        "chance": {
            "permutations": found.chance.permutations,
            "mean": found.chance.mean,
            "largest": found.chance.largest,
        },
        "effects": [one._asdict() for one in found.effects],
    }


def joint_in_words(found: JointOutcome) -> list[str]:
    """Return what a joint search found, one sentence after another."""
    *stages, confirmed = found.tried
    best = max(row.value.reproduced for row in found.rows)
    n, default = len(found.claims), found.rows[0].value.reproduced
    fresh = found.plan.confirm
    leading = ", ".join(f"{one.choice} {one.explained:.2f}" for one in found.effects[:5])
    needed = ", ".join(f"{name} {lost}" for name, lost in found.needed.items() if lost) or "none"
    return [
        f"Readings tried: {', then '.join(f'{k:,}' for k in stages)}; {confirmed} in fresh worlds.",
        f"The default reproduces {default} of {n} claims in {fresh.worlds} fresh worlds "
        f"x {fresh.seeds} seeds, the best reading {best}.",
        f"With agents exchanged at random within worlds, the best of these readings reproduces "
        f"{found.chance.mean:.1f} on average ({found.chance.permutations} permutations, "
        f"at most {found.chance.largest}).",
        f"The closest reading reproduces {found.closest.value.reproduced}: "
        f"{found.closest.reading.name}.",
        f"Claims lost without each of its changes: {needed}.",
        f"Variance of the score explained by choices: {leading}.",
    ]


def joint_table(found: JointOutcome) -> list[dict[str, str]]:
    """Return one row per claim: the verdict of each reading, by the label of the reading."""
    rows = [*found.rows, found.closest]
    labels = ["default", *(str(k) for k in range(1, len(found.rows))), "closest"]
    return [
        {"claim": claim}
        | {label: row.words.get(claim, "–") for label, row in zip(labels, rows, strict=True)}
        for claim in found.claims
    ]


def write_closest(found: JointOutcome, path: Path) -> Path:
    """Write the closest reading as TOML: its changes, and what was searched and confirmed."""
    closest = found.closest
    lines = [
        f"confirmed = {closest.value.reproduced}",
        f"claims = {len(found.claims)}",
        f"default = {found.rows[0].value.reproduced}",
        f"chance = {found.chance.mean:.2f}",
        f"searched = {found.tried[0]}",
        f"worlds = {found.plan.confirm.worlds}",
        f"seeds = {found.plan.confirm.seeds}",
        "",
        "[changes]",
        *(f'{name} = "{word}"' for name, word in closest.reading.changes.items()),
    ]
    path.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return path
