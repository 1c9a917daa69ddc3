"""Statistics of runs, with worlds as the unit of analysis. Pure functions of arrays.

A run is one seed in one world. Episodes and steps of one run depend on each other, so they never
count as observations. What is computed from them enters as one number per run. Runs in one world
share its start, goals and options. What holds beyond that world is therefore judged by one number
per world, and n is the number of worlds.

- `compare_over_worlds` compares two agents over worlds. `agreement` says how far worlds agree, and
  what a test over the seeds of a single world would have said.

- `moving_average`, `episodes_to_criterion`, `criterion_met` and `relative_change` turn learning
  curves and maps into one number per run.
- `paired_t` compares two agents and returns a `Comparison`; `signed_rank_p` is the p-value of the
  signed-rank test, exact also with ties.
- `two_way_anova` compares over two factors and returns an `Anova`.
- `mean_interval` returns the `Interval` of a mean over seeds or worlds.
- `holm` corrects a table of tests.

Tests that need nothing else are those of `scipy.stats`.
"""

from hsr.experiments.stats.anova import Anova, AnovaTerm, two_way_anova
from hsr.experiments.stats.comparison import Comparison, holm, paired_t
from hsr.experiments.stats.interval import Interval, mean_interval
from hsr.experiments.stats.learning import (
    criterion_met,
    episodes_to_criterion,
    moving_average,
    relative_change,
)
from hsr.experiments.stats.over_worlds import (
    SINGLE_WORLD_TESTS,
    OverWorlds,
    agreement,
    compare_over_worlds,
    signed_rank_p,
    variance_between,
)

__all__ = [
    "SINGLE_WORLD_TESTS",
    "Anova",
    "AnovaTerm",
    "Comparison",
    "Interval",
    "OverWorlds",
    "agreement",
    "compare_over_worlds",
    "criterion_met",
    "episodes_to_criterion",
    "holm",
    "mean_interval",
    "moving_average",
    "paired_t",
    "relative_change",
    "signed_rank_p",
    "two_way_anova",
    "variance_between",
]
