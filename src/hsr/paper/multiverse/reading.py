"""A reading: one way to fill in what the paper leaves open.

A reading has a word for each choice in CHOICES. An experiment lists the choices that can change its
result as `Experiment.sensitive_to`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import create_model

from hsr.paper.experiments.option_classes import OptionClasses
from hsr.paper.exploring.setting import ExploringAgent, ExploringSetting, MazeSetting
from hsr.paper.maps.setting import MapReading
from hsr.paper.setting import Setting
from hsr.paper.transfer.setting import Criterion, TransferAgent
from hsr.paper.worlds import OptionSetting


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


def _all(about: str, field: str, owner: type[Setting], *, without: str = "") -> Choice:
    """Return the choice among all words of a field; `owner` is the class that has the field."""
    words = get_args(owner.model_fields[field.rpartition(".")[2]].annotation)
    return Choice(about, field, {word: word for word in words if word != without})


CHOICES: Mapping[str, Choice] = {
    "slip": Choice(
        "probability that a step goes in another direction than intended",
        "world.slip",
        {"0": 0.0, "0.1": 0.1},
    ),
    "goals": Choice(
        "the goals of the layout, or others at the same distance from the start",
        "goal_cells",
        {"marked": (), "other": ((8, 4), (11, 9))},
    ),
    "episodes": Choice(
        "episodes of each goal where maps are learned online", "episodes", {"50": 50, "200": 200}
    ),
    "signs": _all(
        "one option per eigenvector, or two per eigenvector and half as many eigenvectors",
        "options.signs",
        OptionSetting,
    ),
    "policies": _all(
        "option policies by planning, or by Q-learning", "options.policies", OptionSetting
    ),
    "initiation": _all("where covering options can be chosen", "options.initiation", OptionSetting),
    "random_targets": _all(
        "random options drawn for each seed, or once", "random_targets", OptionClasses
    ),
    "warm_up": Choice(
        "steps before options are first found online",
        "options.warm_up",
        {"1000": 1000, "5000": 5000},
    ),
    "refresh": Choice(
        "steps between two searches for online options",
        "options.refresh",
        {"1000": 1000, "5000": 5000},
    ),
    "new_values": _all(
        "the values of an option that was found again", "options.values", OptionSetting
    ),
    "update": _all("which values are updated", "agent.update", TransferAgent),
    "explore_with": _all(
        "what is drawn when the agent explores", "agent.explore_with", TransferAgent
    ),
    "learning_rate": Choice(
        "step size of the values", "agent.learning_rate", {"0.01": 0.01, "0.1": 0.1}
    ),
    "map_rate": Choice(
        "step size of maps that are learned online",
        "agent.map_learning_rate",
        {"0.01": 0.01, "0.1": 0.1},
    ),
    "map_update": _all("rows of the HSR that a choice updates", "agent.map_update", TransferAgent),
    "initial_map": _all("maps before learning", "agent.initial_map", ExploringAgent),
    "average_from": _all("where the moving average of steps begins", "criterion.start", Criterion),
    "average_over": Choice(
        "the average restarts with each goal, or continues",
        "criterion.restart",
        {"each": True, "all": False},
    ),
    "trained_on": _all("goals of expected maps", "maps.trained_on", MapReading),
    "ties": _all("plans over options", "maps.ties", MapReading),
    "stopping_state": _all("the state where an option stops", "maps.stopping_state", MapReading),
    "flat_policy": _all("the policy of the expected SR", "maps.flat_policy", MapReading),
    "components": Choice(
        "components of a basis", "maps.n_components", {"all": None, "32": 32, "128": 128}
    ),
    "scale": _all("scale of features", "maps.scale", MapReading),
    "nmf_start": _all("initial factors of the NMF", "maps.start", MapReading),
    "reward": _all(
        "how policy improvement knows the reward", "agent.gpi", TransferAgent, without="none"
    ),
    "bonus": _all("SPIE with squares, or without", "spie", ExploringSetting),
    "bonus_per": _all("when SPIE is paid", "bonus_per", ExploringSetting),
    "norm_of": _all("the state whose row gives the norm bonus", "norm_of", ExploringSetting),
    "mazes": _all("a maze for each seed, or one for all", "maze.mazes", MazeSetting),
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
