"""A reading: one way to fill in what the paper leaves open.

A reading has a word for each choice in CHOICES. An experiment lists the choices that can change its
result as `Experiment.sensitive_to`.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from pydantic import create_model

from hsr import InputError
from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment
from hsr.paper.exploring.setting import ExploringAgent, ExploringSetting
from hsr.paper.maps.setting import MapReading
from hsr.paper.setting import Setting, description_in, nearest, words_in
from hsr.paper.transfer.setting import Criterion, TransferAgent, TransferSetting
from hsr.toolkit import Spec, defaults

CLOSEST = "closest.toml"


@dataclass(frozen=True)
class Choice:
    """One thing that the paper leaves open.

    Parameters
    ----------
    about : str
        What is chosen, in a few words.
    field : str
        The field of an experiment's setting that the choice decides, by its dotted path.
    values : mapping of str to value
        The value of the field for each word. The first word is the default.
    """

    about: str
    field: str
    values: Mapping[str, Any]

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the choice, the default first."""
        return tuple(self.values)

    @property
    def default(self) -> str:
        """The word that holds unless a reading says otherwise."""
        return self.words[0]


def _all(field: str, owner: type, *, first: str = "", without: str = "") -> Choice:
    """Return the choice among all words of a field that the class `owner` declares.

    The default is the first word that is declared, or the word `first`.
    """
    name = field.rpartition(".")[2]
    words = sorted(words_in(owner, name), key=lambda word: word != first)
    return Choice(description_in(owner, name), field, {w: w for w in words if w != without})


def _numbers(field: str, owner: type[Spec], *others: float) -> Choice:
    """Return the choice between the default of a number and others."""
    name = field.rpartition(".")[2]
    values = (defaults(owner)[name], *others)
    return Choice(description_in(owner, name), field, {f"{value:g}": value for value in values})


CHOICES: Mapping[str, Choice] = {
    "slip": _numbers("world.slip", WorldSpec, 0.1),
    "signs": _all("options.signs", OptionSpec, first="random"),
    "first_vector": _all("options.first", OptionSpec),
    "policies": _all("options.policies", OptionSpec),
    "initiation": _all("options.initiation", OptionSpec),
    "warm_up": _numbers("options.warm_up", OptionSpec, 5000),
    "refresh": _numbers("options.refresh", OptionSpec, 5000),
    "new_values": _all("options.values", OptionSpec),
    "update": _all("agent.update", TransferAgent),
    "explore_with": _all("agent.explore_with", TransferAgent),
    "explore_at": _all("agent.explore_at", TransferAgent),
    "agent_ties": _all("agent.ties", TransferAgent),
    "learning_rate": _numbers("agent.learning_rate", TransferAgent, 0.1),
    "map_rate": _numbers("agent.map_learning_rate", TransferAgent, 0.1),
    "map_update": _all("agent.map_update", TransferAgent, without="intra_option"),
    "initial_map": _all("agent.initial_map", ExploringAgent),
    "goal": _all("at_goal", TransferSetting),
    "episodes": Choice(
        "episodes of each goal where maps are learned online", "episodes", {"50": 50, "200": 200}
    ),
    "training": _all("training", TransferSetting),
    "curve": _all("curve", TransferSetting),
    "average_from": _all("criterion.start", Criterion),
    "average_over": Choice(
        "the average restarts with each goal, or continues",
        "criterion.restart",
        {"each": True, "all": False},
    ),
    "crossing": _all("criterion.crossing", Criterion),
    "reward": _all("agent.gpi", TransferAgent, without="none"),
    "trained_on": _all("maps.trained_on", MapReading),
    "ties": _all("maps.ties", MapReading),
    "stopping_state": _all("maps.stopping_state", MapReading),
    "flat_policy": _all("maps.flat_policy", MapReading),
    "map_goal": _all("maps.goal", MapReading),
    "map_scale": _all("maps.map_scale", MapReading),
    "components": Choice(
        description_in(MapReading, "n_components"),
        "maps.n_components",
        {"all": None, "32": 32, "128": 128},
    ),
    "scale": _all("maps.scale", MapReading),
    "svd_vectors": _all("maps.vectors", MapReading),
    "nmf_start": _all("maps.start", MapReading),
    "nmf_parts": _all("maps.parts", MapReading),
    "nmf_solver": _all("maps.solver", MapReading),
    "nmf_seed": _numbers("maps.seed", MapReading, 1, 2),
    "intercept": Choice(
        "constant in the fit of values", "intercept", {"without": False, "with": True}
    ),
    "bonus": Choice(
        "SPIE with squares, or without", "spie", {"spie": "spie", "spie_l1": "spie_l1"}
    ),
    "bonus_per": _all("bonus_per", ExploringSetting),
    "norm_of": _all("norm_of", ExploringSetting),
}


class ReadingBase(Setting):
    """One way to read the paper: a word for each choice."""

    @property
    def changes(self) -> dict[str, str]:
        """The choices that differ from the default."""
        words = self.model_dump()
        return {name: word for name, word in words.items() if word != CHOICES[name].default}

    @property
    def name(self) -> str:
        """The reading in words: what differs from the default."""
        return ", ".join(f"{name}={word}" for name, word in self.changes.items()) or "default"

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a setting that the reading changes, by their dotted paths."""
        return {
            CHOICES[name].field: CHOICES[name].values[word] for name, word in self.changes.items()
        }

    def without(self, *choices: str) -> "Reading":
        """Return the reading with some choices at their default."""
        return self.model_copy(update={name: CHOICES[name].default for name in choices})

    def only(self, choices: Iterable[str]) -> "Reading":
        """Return the reading with all other choices at their default."""
        return self.without(*set(self.changes).difference(choices))


if TYPE_CHECKING:
    Reading = ReadingBase
else:
    Reading = create_model(
        "Reading",
        __base__=ReadingBase,
        __module__=__name__,
        __doc__=ReadingBase.__doc__,
        **{name: (Literal[one.words], one.default) for name, one in CHOICES.items()},
    )


def fields_for(experiment: Experiment, reading: Reading) -> dict[str, Any]:
    """Return the fields of an experiment's setting that a reading changes, by their dotted paths.

    Choices that the experiment is not sensitive to are left out.
    """
    return reading.only(experiment.sensitive_to).fields


def read_reading(text: str) -> Reading:
    """Return a reading: "default", "closest", or changes such as ``signs=svd, ties=options``.

    Raises
    ------
    InputError
        If a choice or a word does not exist. The message lists those that do.

    Examples
    --------
    >>> read_reading("signs=svd, ties=options").changes
    {'signs': 'svd', 'ties': 'options'}
    """
    if text == "default":
        return Reading()
    if text == "closest":
        return Reading.model_validate(closest_data()["changes"])
    changes: dict[str, str] = {}
    for part in text.split(","):
        name, equals, word = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise InputError(
                f"the reading is {text!r:.80}; it must be default, closest, "
                "or changes such as signs=svd,ties=options"
            )
        if name not in CHOICES:
            raise nearest(name, list(CHOICES), "choice")
        if word not in CHOICES[name].words:
            known = ", ".join(CHOICES[name].words)
            raise InputError(f"{name} is {word!r:.80}; it must be one of {known}")
        changes[name] = word
    return Reading.model_validate(changes)


def closest_data() -> dict[str, Any]:
    """Return the closest reading as it is stored with the package: its changes and its numbers."""
    return tomllib.loads((files("hsr.paper") / CLOSEST).read_text(encoding="utf-8"))
