"""A reading: one way to fill in what the paper leaves open.

A reading has a word for each choice in CHOICES. An experiment lists the choices that can change its
result as `Experiment.sensitive_to`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import create_model

from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.paper.exploring.setting import ExploringAgent, ExploringSetting
from hsr.paper.maps.setting import MapReading
from hsr.paper.setting import Setting, description_in, words_in
from hsr.paper.transfer.setting import Criterion, TransferAgent
from hsr.toolkit import Spec, defaults


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


def _all(field: str, owner: type, *, without: tuple[str, ...] = ()) -> Choice:
    """Return the choice among the words of a field that the class `owner` declares."""
    name = field.rpartition(".")[2]
    words = {word: word for word in words_in(owner, name) if word not in without}
    return Choice(description_in(owner, name), field, words)


def _numbers(field: str, owner: type[Spec], *others: float) -> Choice:
    """Return the choice between the default of a number and others."""
    name = field.rpartition(".")[2]
    values = (defaults(owner)[name], *others)
    return Choice(description_in(owner, name), field, {f"{value:g}": value for value in values})


CHOICES: Mapping[str, Choice] = {
    "slip": _numbers("world.slip", WorldSpec, 0.1),
    "goals": Choice(
        "the goals of the layout, or others at the same distance from the start",
        "goal_cells",
        {"marked": (), "other": ((8, 4), (11, 9))},
    ),
    "episodes": Choice(
        "episodes of each goal where maps are learned online", "episodes", {"50": 50, "200": 200}
    ),
    "signs": _all("options.signs", OptionSpec, without=("svd", "eigh", "eig", "random")),
    "policies": _all("options.policies", OptionSpec),
    "initiation": _all("options.initiation", OptionSpec),
    "warm_up": _numbers("options.warm_up", OptionSpec, 5000),
    "refresh": _numbers("options.refresh", OptionSpec, 5000),
    "new_values": _all("options.values", OptionSpec),
    "update": _all("agent.update", TransferAgent),
    "explore_with": _all("agent.explore_with", TransferAgent),
    "learning_rate": _numbers("agent.learning_rate", TransferAgent, 0.1),
    "map_rate": _numbers("agent.map_learning_rate", TransferAgent, 0.1),
    "map_update": _all("agent.map_update", TransferAgent),
    "initial_map": _all("agent.initial_map", ExploringAgent),
    "average_from": _all("criterion.start", Criterion),
    "average_over": Choice(
        "the average restarts with each goal, or continues",
        "criterion.restart",
        {"each": True, "all": False},
    ),
    "trained_on": _all("maps.trained_on", MapReading),
    "ties": _all("maps.ties", MapReading),
    "stopping_state": _all("maps.stopping_state", MapReading),
    "flat_policy": _all("maps.flat_policy", MapReading),
    "components": Choice(
        description_in(MapReading, "n_components"),
        "maps.n_components",
        {"all": None, "32": 32, "128": 128},
    ),
    "scale": _all("maps.scale", MapReading),
    "nmf_start": _all("maps.start", MapReading),
    "reward": _all("agent.gpi", TransferAgent, without=("none",)),
    "bonus": Choice(
        "SPIE with squares, or without", "spie", {"spie": "spie", "spie_l1": "spie_l1"}
    ),
    "bonus_per": _all("bonus_per", ExploringSetting),
    "norm_of": _all("norm_of", ExploringSetting),
    "intercept": Choice(
        "constant in the fit of values", "intercept", {"without": False, "with": True}
    ),
    "test": Choice(
        "runs with the same seed as pairs, where they share a maze",
        "test",
        {"unpaired": "two_sample_t", "paired": "paired_t"},
    ),
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

    def without(self, choice: str) -> "Reading":
        """Return the reading with one choice at its default."""
        return self.model_copy(update={choice: CHOICES[choice].default})


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
