"""A reading: one way to fill in what the paper leaves open, as a bundle of choices, each a word
out of a few.

The first word of each choice is the default. An experiment says in its settings which choices it is
sensitive to: CHOICES gives, by choice, the field of its setting that the choice decides.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from hsr.paper.setting import Setting


class Reading(Setting):
    """One way to read the paper."""

    slip: Annotated[
        Literal["0", "0.1"], Field(description="chance that a step goes another way than meant")
    ] = "0"
    goals: Annotated[
        Literal["marked", "other"], Field(description="the goals, or others as far from the start")
    ] = "marked"
    episodes: Annotated[
        Literal["50", "200"],
        Field(description="episodes of each goal where maps are learned online"),
    ] = "50"
    signs: Annotated[
        Literal["positive", "both"],
        Field(description="one option per eigenvector, or two per vector and half as many"),
    ] = "positive"
    policies: Annotated[
        Literal["exact", "learned"],
        Field(description="option policies by planning, or by Q-learning"),
    ] = "exact"
    initiation: Annotated[
        Literal["point", "everywhere"], Field(description="where covering options can be chosen")
    ] = "point"
    random_targets: Annotated[
        Literal["per_seed", "once"],
        Field(description="random options drawn for each seed, or once"),
    ] = "per_seed"
    warm_up: Annotated[
        Literal["1000", "5000"], Field(description="steps before options are first made online")
    ] = "1000"
    refresh: Annotated[
        Literal["1000", "5000"],
        Field(description="steps between one making of options and the next"),
    ] = "1000"
    new_values: Annotated[
        Literal["keep", "reset"], Field(description="the value of an option that was made anew")
    ] = "keep"
    update: Annotated[
        Literal["chosen_and_primitives", "chosen", "primitives", "intra_option"],
        Field(description="which values move"),
    ] = "chosen_and_primitives"
    explore_with: Annotated[
        Literal["choices", "primitives"], Field(description="what is drawn when the agent explores")
    ] = "choices"
    learning_rate: Annotated[
        Literal["0.01", "0.1"], Field(description="step size of the values")
    ] = "0.01"
    map_rate: Annotated[
        Literal["0.01", "0.1"], Field(description="step size of maps that are learned online")
    ] = "0.01"
    map_update: Annotated[
        Literal["chosen", "passed"], Field(description="rows of the HSR that a choice moves")
    ] = "chosen"
    initial_map: Annotated[
        Literal["identity", "zero"], Field(description="maps before learning")
    ] = "identity"
    average_from: Annotated[
        Literal["first", "optimal"], Field(description="where the moving average of steps begins")
    ] = "first"
    average_over: Annotated[
        Literal["each", "all"],
        Field(description="the average begins anew with each goal, or goes on"),
    ] = "each"
    trained_on: Annotated[
        Literal["every", "per_room", "8", "16", "32"], Field(description="goals of expected maps")
    ] = "every"
    ties: Annotated[
        Literal["uniform", "options", "primitives", "random", "learned"],
        Field(description="plans over options"),
    ] = "uniform"
    stopping_state: Annotated[
        Literal["counted_once", "counted_twice"],
        Field(description="the state where an option stops"),
    ] = "counted_once"
    flat_policy: Annotated[
        Literal["primitive", "options"], Field(description="the policy of the expected SR")
    ] = "primitive"
    components: Annotated[
        Literal["all", "32", "128"], Field(description="components of a basis")
    ] = "all"
    scale: Annotated[
        Literal["none", "max", "unit_columns", "unit_rows"], Field(description="scale of features")
    ] = "none"
    nmf_start: Annotated[
        Literal["nndsvda", "random"], Field(description="where the NMF begins")
    ] = "nndsvda"
    reward: Annotated[
        Literal["found", "regressed", "known"],
        Field(description="how policy improvement knows the reward"),
    ] = "found"
    bonus: Annotated[
        Literal["spie", "spie_l1"], Field(description="SPIE with squares, or without")
    ] = "spie"
    bonus_per: Annotated[Literal["step", "choice"], Field(description="when SPIE is paid")] = "step"
    norm_of: Annotated[
        Literal["arrived", "left"], Field(description="the state whose row's norm is the bonus")
    ] = "arrived"
    mazes: Annotated[
        Literal["per_seed", "one"],
        Field(description="a maze of its own for each seed, or one for all"),
    ] = "per_seed"
    intercept: Annotated[
        Literal["without", "with"], Field(description="constant in the fit of values")
    ] = "without"
    test: Annotated[
        Literal["unpaired", "paired"],
        Field(description="runs with the same seed as pairs, where they share a maze"),
    ] = "unpaired"

    @property
    def changes(self) -> dict[str, str]:
        """The choices that differ from the default."""
        return {name: word for name, word in self.model_dump().items() if word != default_of(name)}

    @property
    def name(self) -> str:
        """The reading in words: what differs from the default."""
        return ", ".join(f"{name}={word}" for name, word in self.changes.items()) or "default"

    def without(self, choice: str) -> "Reading":
        """Return the reading with one choice at its default."""
        return self.model_copy(update={choice: default_of(choice)})


_VALUES: Mapping[str, Mapping[str, Any]] = {  # where the field of a setting is not the word itself
    "slip": {"0.1": 0.1},
    "goals": {"other": ((8, 4), (11, 9))},
    "episodes": {"200": 200},
    "warm_up": {"5000": 5000},
    "refresh": {"5000": 5000},
    "learning_rate": {"0.1": 0.1},
    "map_rate": {"0.1": 0.1},
    "average_over": {"all": False},
    "components": {"32": 32, "128": 128},
    "intercept": {"with": True},
    "test": {"paired": "paired_t"},
}


def words_of(choice: str) -> tuple[str, ...]:
    """Return the words of a choice, the default first."""
    return get_args(Reading.model_fields[choice].annotation)


def default_of(choice: str) -> str:
    """Return the default of a choice."""
    return str(Reading.model_fields[choice].default)


def text_of(choice: str) -> str:
    """Return what a choice decides, in a few words."""
    return str(Reading.model_fields[choice].description)


def changes_of(reading: Reading, choices: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a setting that a reading changes, by their paths; `choices` gives the
    path of each choice.
    """
    return {
        choices[name]: _VALUES.get(name, {}).get(word, word)
        for name, word in reading.changes.items()
    }
