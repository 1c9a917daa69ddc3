"""Other classes of options, and other numbers of them (Figure S4).

**Questions.** Does the transfer of hierarchical rows need eigenoptions, or are covering options and
random targets as good? How many eigenoptions does it take?

**Runs.** In the four rooms, first to G1, then to G2. HSR rows learned online with eight
eigenoptions, with eight covering options (four pairs, each option available only at the other end
of its pair), or with eight random point options. Then one-hot features and HSR rows with 4, 8, 16
and 32 eigenoptions. The condition that both comparisons share runs once.

**Settings.** `paper`: 10 seeds, 50 episodes per goal of at most 5000 steps. `smoke`: 4 seeds, 15
short episodes. Random targets are drawn again for every seed. A difference is then one between
classes, and not between eight targets and eight eigenvectors. `random_targets=once` draws them
once, by `options.seed`.

**Control.** *tuned step sizes*: every agent, with each class and number of options, learns at the
one of `rates` that took the fewest steps on other goals and seeds (`hsr.paper.transfer.tuning`).
Random options have one rate for all draws.

**Claims**, all by two-sample t-tests over seeds. `option-classes`: episodes to G2, random minus
eigen and covering minus eigen, both predicted positive. `option-budget`: transfer efficiency
(smaller is better) of HSR rows, relative to the mean of the one-hot agent with the same number of
options: 4 minus 8, predicted positive, and 8 minus 32, predicted none. Then episodes of the one-hot
agent to G2, 32 minus 8, predicted positive. The baselines of two numbers of options differ, and
their own uncertainty is not part of the test of efficiencies. At least 13 seeds are needed to show
that there is no difference: with 10 the interval of the effect is wider than the margin.
"""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from hsr.paper.experiment import Experiment, scored_seeds
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import (
    ONLINE_MAP_CHOICES,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TransferCondition,
    TransferSetting,
)

CLASSES = ("eigen", "covering", "random")
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
    budgets : tuple of int
        Numbers of eigenoptions.
    random_targets : {"per_seed", "once"}
        Whether random options are drawn for each seed, so that seeds are independent samples of
        random options, or once for all seeds by `options.seed`.
    """

    budgets: Annotated[tuple[int, ...], Field(min_length=3)] = (4, 8, 16, 32)
    random_targets: Annotated[
        Literal["per_seed", "once"],
        Field(description="random options drawn for each seed, or once"),
    ] = "per_seed"
    seeds: int = 10


def by_class(setting: OptionClasses) -> dict[str, list[TransferCondition]]:
    """Return the conditions of each class of options: one for all seeds, or one per seed."""
    found = {}
    for kind in CLASSES:
        changes: list[dict[str, Any]] = [{"kind": kind}]
        if kind == "random" and setting.random_targets == "per_seed":
            changes = [{"kind": kind, "seed": seed} for seed in scored_seeds(setting)]
        found[kind] = [_condition(setting, AGENTS["HSR rows"], change) for change in changes]
    return found


def by_budget(setting: OptionClasses) -> dict[str, dict[str, list[TransferCondition]]]:
    """Return the conditions by agent, then by the number of eigenoptions, the smallest first."""
    return {
        name: {
            label_of(n): [_condition(setting, features, {"kind": "eigen", "n_options": n})]
            for n in sorted(set(setting.budgets))
        }
        for name, features in AGENTS.items()
    }


def label_of(n_options: int) -> str:
    """Return the label of a number of options."""
    return f"{n_options} options"


def conditions(setting: OptionClasses) -> dict[str, list[TransferCondition]]:
    """Return the conditions of both comparisons."""
    return by_class(setting) | {
        f"{name}, {label}": sample
        for name, of_agent in by_budget(setting).items()
        for label, sample in of_agent.items()
    }


def _condition(
    setting: OptionClasses, features: FeatureSetting, change: dict[str, Any]
) -> TransferCondition:
    return setting.condition(features, options=replace(setting.options, **change))


EXPERIMENT = Experiment(
    name="option_classes",
    figure="S4",
    title="classes and numbers of options",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": OptionClasses(
            seeds=4, episodes=15, horizon=1000, rates=(0.01, 0.1), tuning_seeds=2
        ),
        "paper": OptionClasses(),
    },
    controls=TUNED,
    sensitive_to=(
        *TRANSFER_CHOICES,
        *ONLINE_MAP_CHOICES,
        "goals",
        "policies",
        "initiation",
        "random_targets",
    ),
)
