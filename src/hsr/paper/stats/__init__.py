"""Statistics of runs, with worlds as the unit of analysis. Pure functions of arrays.

A run is one seed in one world. Episodes and steps of one run depend on each other, so they never
count as observations. What is computed from them enters as one number per run. Runs in one world
share its start, goals and options. What holds beyond that world is therefore judged by one number
per world, and n is the number of worlds.

- `compare_over_worlds` compares two agents over worlds. `agreement` says how far worlds agree, and
  what a test over the seeds of a single world would have said.

- `moving_average`, `episodes_to_criterion`, `criterion_met` and `relative_change` turn learning
  curves and maps into one number per run.
- `two_sample_t`, `paired_t` and `wilcoxon` compare two agents and return a `Comparison`.
- `two_way_anova` compares over two factors and returns an `Anova`.
- `mean_interval` returns the `Interval` of a mean over seeds or worlds.
- `holm` corrects a table of tests.

**Which test should I use?** Pair runs that share what the seed decides: the same maze, goals, or
pre-trained map. Pairing then removes the shared variation from the difference. Runs whose seeds
share nothing are independent samples, and pairing them only loses degrees of freedom: `paired_t`
has ``n - 1``, `two_sample_t` has ``n_x + n_y - 2`` (38 for 20 and 20 seeds). Where differences are
far from normal, such as counts that are cut off at the number of episodes, use `wilcoxon`. There is
no separate function for Welch's t. With equally many seeds in both samples, as in every comparison
here, its statistic is the same as Student's, and only its degrees of freedom shrink where the
variances differ.
"""

from hsr.paper.stats.anova import Anova, AnovaTerm, two_way_anova
from hsr.paper.stats.comparison import Comparison, paired_t, two_sample_t
from hsr.paper.stats.correction import holm
from hsr.paper.stats.interval import Interval, mean_interval
from hsr.paper.stats.learning import (
    criterion_met,
    episodes_to_criterion,
    moving_average,
    relative_change,
)
from hsr.paper.stats.over_worlds import (
    SINGLE_WORLD_TESTS,
    OverWorlds,
    agreement,
    compare_over_worlds,
    variance_between,
)
from hsr.paper.stats.signed_rank import wilcoxon

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
    "two_sample_t",
    "two_way_anova",
    "variance_between",
    "wilcoxon",
]
