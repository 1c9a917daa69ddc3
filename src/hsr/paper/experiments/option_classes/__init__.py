"""Other classes of options, and other numbers of them (Figure S4).

**Questions.** Does the transfer of hierarchical rows need eigenoptions, or are covering options and
random targets as good? How many eigenoptions does it take?

**Runs.** In the four rooms, first to G1, then to G2. HSR rows learned online with eight
eigenoptions, with eight covering options (four pairs, each option available only at the other end
of its pair), or with eight random point options. Then one-hot features and HSR rows with 4, 8, 16
and 32 eigenoptions. The condition that both comparisons share runs once.

**Settings.** `paper`: 200 worlds with 10 seeds each, 50 episodes per goal of at most 5000 steps. A
world has a sign for each of the 32 eigenvectors, and its goals lie on the end of none of their
options, so that all conditions share it. Random targets are drawn again in every world. A
difference is then one between classes, and not between eight targets and eight eigenvectors.

**Control.** *tuned step sizes*: every agent, with each class and number of options, learns at the
one of `rates` that took the fewest steps in other worlds (`hsr.paper.transfer.tuning`).

**Claims**, all over worlds. `option-classes`: episodes to G2, random minus eigen and covering minus
eigen, both predicted positive. `option-budget`: transfer efficiency (smaller is better) of HSR
rows, relative to the mean of the one-hot agent with the same number of options in the same world: 4
minus 8, predicted positive, and 8 minus 32, predicted none. Then episodes of the one-hot agent to
G2, 32 minus 8, predicted positive.
"""

from dataclasses import replace
from typing import Annotated

from pydantic import Field, field_validator

from hsr.agents import OptionSpec
from hsr.paper.experiment import Experiment
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import (
    ONLINE_MAP_CHOICES,
    SMOKE,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TransferCondition,
    TransferSetting,
)

AGENTS = {
    "one-hot": FeatureSetting(kind="onehot"),
    "HSR rows": FeatureSetting(kind="hsr"),
}


class OptionClasses(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    options : OptionSpec
        What all options have in common. Each condition sets its own kind, and in the comparison of
        budgets its own number.
    classes : tuple of str
        Classes of options, each a kind of `hsr.OptionSpec`. Claims compare the first three.
    budgets : tuple of int
        Numbers of eigenoptions.
    """

    classes: Annotated[
        tuple[str, ...], Field(min_length=1, description="classes of options that are compared")
    ] = ("eigen", "covering", "random")
    budgets: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...],
        Field(min_length=3, description="numbers of eigenoptions that are compared"),
    ] = (4, 8, 16, 32)

    @field_validator("classes")
    @classmethod
    def _check_classes(cls, classes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(OptionSpec(kind=kind).kind for kind in classes))


def by_class(setting: OptionClasses) -> dict[str, TransferCondition]:
    """Return the condition of each class of options."""
    return {
        kind: _condition(setting, AGENTS["HSR rows"], replace(setting.options, kind=kind))
        for kind in setting.classes
    }


def by_budget(setting: OptionClasses) -> dict[str, dict[str, TransferCondition]]:
    """Return the conditions by agent, then by the number of eigenoptions, the smallest first."""
    return {
        name: {
            label_of(n): _condition(
                setting, features, replace(setting.options, kind="eigen", n_options=n)
            )
            for n in sorted(set(setting.budgets))
        }
        for name, features in AGENTS.items()
    }


def label_of(n_options: int) -> str:
    """Return the label of a number of options."""
    return f"{n_options} options"


def conditions(setting: OptionClasses) -> dict[str, TransferCondition]:
    """Return the conditions of both comparisons."""
    return by_class(setting) | {
        f"{name}, {label}": condition
        for name, of_agent in by_budget(setting).items()
        for label, condition in of_agent.items()
    }


def _condition(
    setting: OptionClasses, features: FeatureSetting, options: OptionSpec
) -> TransferCondition:
    """Return a condition in the worlds that qualify with the most eigenoptions."""
    largest = max(*setting.budgets, setting.options.n_options)
    most = replace(setting.options, kind="eigen", n_options=largest)
    return setting.condition(features, options=options, drawn_for=most)


EXPERIMENT = Experiment(
    name="option_classes",
    figure="S4",
    title="classes and numbers of options",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": OptionClasses(**SMOKE, horizon=1000),
        "paper": OptionClasses(rates=(0.01, 0.03, 0.1, 0.3, 1.0), tuning_worlds=40, tuning_seeds=2),
    },
    controls=TUNED,
    swept={"options.kind": "classes"},
    sensitive_to=(
        *TRANSFER_CHOICES,
        *ONLINE_MAP_CHOICES,
        "initiation",
    ),
)
