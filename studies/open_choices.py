"""Everything the paper leaves open: the table of docs/open-choices.md, for `studies.pages`.

Descriptions, values and their meanings are those of the settings of the experiments. What a choice
changes is counted in the ledger.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from hsr._base.declaration import declarations, fields_of
from hsr.experiments import catalogue
from hsr.experiments.changes import write_value
from hsr.experiments.ledger import CANNOT_TELL, DEPENDS, PAPER, READINGS
from hsr.experiments.ledger_file import Row
from hsr.paper.readings import PLACES

_OPEN = (CANNOT_TELL, DEPENDS)


class Choice(NamedTuple):
    """A field of a setting that the paper leaves open, and what it says there."""

    experiment: str  # whose setting has it
    path: str
    paper: str
    note: str = ""  # what is known without a variant


def _of_place(path: str, note: str = "") -> Choice:
    place = PLACES[path]
    printed, remark = place.sentence, ""
    if printed.endswith(")"):  # what follows the sentence in brackets is ours
        printed, _, remark = printed[:-1].partition("(")
    words = f'"{printed.strip()}"' if printed else "nothing"
    return Choice(
        "online_transfer",
        path,
        f"{words} ({place.where})" + (f", {remark}" if printed and remark else ""),
        note,
    )


_SEARCHED = "see [the search](readings.md#the-search)"
SECTIONS = {
    "World": (
        Choice(
            "online_transfer", "places",
            "goals 10 and 18 steps away, on no option's end; one world is shown",
            "more than seeds do, so verdicts are over worlds "
            "([how many worlds](decisions/evidence.md#how-many-worlds))",
        ),
        Choice("online_transfer", "world.slip", "nothing about moves that fail"),
    ),
    "Options": (
        Choice(
            "online_transfer", "options.signs",
            "Algorithm 1 takes eigenvectors from an SVD; nothing about their signs",
            "drawn in each world, so verdicts are over signs",
        ),
        Choice("spectra", "options.first", "the first K vectors; nothing about the constant one"),
        Choice("online_transfer", "options.policies", "Q-learning or dynamic programming"),
        Choice("option_classes", "options.initiation", '"singleton initiation sets"'),
        Choice("exploration_online", "options.warm_up", "T_0, without a number"),
        Choice("online_options", "options.refresh", "T_update, without a number"),
        Choice("online_options", "options.values", "nothing about values of options made again"),
    ),
    "Expected maps": (
        Choice(
            "spectra", "maps.stopping_state",
            "F = M diag(beta), in which M may count the stopping state or not",
        ),
        Choice("spectra", "maps.ties", "optimal choices; nothing about equally good ones"),
        Choice("spectra", "maps.trained_on", "several example sets of goals"),
        Choice("spectra", "maps.goal", "Algorithm 1 uses the whole transition matrix"),
        Choice("spectra", "maps.flat_policy", "the SR of the same tasks; nothing about its policy"),
        Choice("spectra", "maps.map_scale", "Algorithm 1 has a map between 0 and 1"),
    ),
    "Bases": (
        Choice("spectra", "maps.n_components", "K = N, which is 104"),
        Choice(
            "basis_transfer", "maps.scale",
            '"normalised by their corresponding maximum absolute values" (caption 1), of the '
            "vectors that are shown",
        ),
        Choice("basis_transfer", "scale_rows", "nothing about rows"),
        Choice("basis_transfer", "maps.vectors", "nothing about which singular vectors"),
        Choice("basis_transfer", "maps.solver", "NMF by its Frobenius error"),
        Choice("basis_transfer", "maps.start", "nothing about where NMF starts"),
        Choice("basis_transfer", "maps.parts", "W, which has any scale together with H"),
    ),
    "Agents": (
        _of_place("agent.update", _SEARCHED),
        _of_place("agent.explore_with", _SEARCHED),
        _of_place("agent.explore_at"),
        _of_place("agent.map_update"),
        _of_place("agent.initial_map", _SEARCHED),
        _of_place("agent.ties", _SEARCHED),
        Choice(
            "basis_transfer", "uses_options",
            'options serve "the option-based RL agents" of Figure 2 (caption S1a)',
        ),
        Choice("gpi", "gpi", "policies are improved once the goal was met; nothing about rewards"),
        Choice("gpi", "pool", "policies of earlier tasks, without their number"),
    ),
    "Training and measures": (
        _of_place("training", _SEARCHED),
        _of_place("episodes", "the appendix has 50"),
        Choice("gpi", "horizon", "1,000 (appendix), and 5,000 for Figures 2 and S2"),
        Choice("gpi", "goal", "one goal; nothing about which"),
        _of_place("criterion.start", _SEARCHED),
        Choice("online_transfer", "criterion.restart", "nothing about the moving average after G1"),
        Choice("online_transfer", "curve", '"steps to reach the goal"'),
    ),
    "Exploration": (
        Choice("exploration", "agent.bonus", "squares; the published code of SPIE has none"),
        Choice("exploration", "agent.bonus_per", "nothing about options that run for many steps"),
        Choice("exploration", "agent.norm_of", "the norm of a row, of the state entered or left"),
        Choice("exploration", "agent.initial_map", "zero in Algorithm S3, identity in S2"),
        Choice("exploration", "steps", "100,000 for Figure 6 and 10,000 for Figure S6"),
    ),
}  # fmt: skip


def table(ledger: Sequence[Row]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| left open | the paper | our choice | other values | does it matter? |",
        "|---|---|---|---|---|",
    ]
    for title, choices in SECTIONS.items():
        lines.append(f"| **{title}** | | | | |")
        lines += [f"| {' | '.join(_cells(choice, ledger))} |" for choice in choices]
    return "\n".join(lines)


def _cells(choice: Choice, ledger: Sequence[Row]) -> Iterator[str]:
    """Yield the cells of a row."""
    setting = catalogue.find(choice.experiment).presets["paper"]
    fact = fields_of(setting)[choice.path]
    spec, name = setting, choice.path
    while "." in name:
        part, _, name = name.partition(".")
        spec = getattr(spec, part)
    declared = declarations(type(spec))[name]
    words = declared.allowed if declared.words else {}
    varied = list(_variants_of(choice.path, choice.experiment))
    yield f"{fact.description} (`{choice.path}`)"
    yield choice.paper
    yield _meaning(fact.value, words)
    others = [word for word in words if word != fact.value]
    if isinstance(fact.value, bool):
        others = [write_value(not fact.value)]
    elif not words:
        values = (write_value(change[choice.path]) for _, _, change in varied)
        others = [one for one in dict.fromkeys(values) if one != write_value(fact.value)]
    yield ", ".join(f"`{one}`" for one in others) or f"any {fact.takes}"
    found = _effect_of(varied, ledger)
    yield "; ".join(one for one in (found, choice.note) if one) or "not tried"


def _meaning(value: Any, words: dict[str, str]) -> str:
    shown = value if isinstance(value, str) else write_value(value)
    return f"`{shown}`: {words[value]}" if value in words else f"`{shown}`"


def _variants_of(path: str, of: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield each variant that changes a field: its experiment, its name, and its changes.

    Exploration has an agent of its own, whose fields have other meanings.
    """
    for name in catalogue.names():
        if path.startswith("agent.") and name.startswith("exploration") != of.startswith("expl"):
            continue
        for variant, change in catalogue.find(name).variants.get(READINGS, {}).items():
            if path in change:
                yield name, variant, dict(change)


def _effect_of(varied: list[tuple[str, str, dict[str, Any]]], ledger: list[dict[str, Any]]) -> str:
    """Return how many verdicts variants change, among those that are decided in both."""
    n_decided = n_changed = 0
    for name, variant, _ in varied:
        for row in (one for one in ledger if one["experiment"] == name):
            for statement in row["statements"]:
                own = statement["columns"].get(PAPER, ())
                other = [
                    one for one in statement["columns"].get(READINGS, ())
                    if one["variant"] == variant
                ]  # fmt: skip
                if statement["by_construction"] or not own or not other:
                    continue
                verdicts = own[0]["verdict"], other[0]["verdict"]
                if not set(verdicts).intersection(_OPEN):
                    n_decided += 1
                    n_changed += verdicts[0] != verdicts[1]
    if not n_decided:
        return ""
    named = ", ".join(dict.fromkeys(catalogue.find(name).figure for name, _, _ in varied))
    figures = "Figures" if "," in named or "-" in named else "Figure"
    return f"{n_changed} of {n_decided} verdicts change ({figures} {named})"
