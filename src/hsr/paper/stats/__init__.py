"""From runs to numbers, with seeds as the unit of analysis. Pure functions of arrays.

- `moving_average`, `episodes_to_criterion`, `transfer_efficiency`, `paired_transfer_efficiency` and
  `relative_change` turn learning curves and maps into one number per seed
  (`hsr.paper.stats.learning`).
- `two_sample_t`, `paired_t` and `wilcoxon` compare two agents and return a `Comparison`.
- `two_way_anova` compares over two factors at once and returns an `Anova`.
- `mean_interval`, `bootstrap_interval` and `share_interval` return an `Interval`; `iqm` pools
  tasks.
- `holm` corrects a table of tests.

**Which interval should I use?** `mean_interval` for a mean over seeds of one task.
`bootstrap_interval` with `iqm` where several tasks are pooled or some seeds are far from the
others. `share_interval` for how many seeds did something.
"""

from hsr.paper.stats.anova import Anova, AnovaTerm, two_way_anova
from hsr.paper.stats.comparison import Comparison, paired_t, two_sample_t
from hsr.paper.stats.correction import holm
from hsr.paper.stats.interval import (
    Interval,
    bootstrap_interval,
    iqm,
    mean_interval,
    share_interval,
)
from hsr.paper.stats.learning import (
    episodes_to_criterion,
    moving_average,
    paired_transfer_efficiency,
    relative_change,
    transfer_efficiency,
)
from hsr.paper.stats.signed_rank import wilcoxon

__all__ = [
    "Anova",
    "AnovaTerm",
    "Comparison",
    "Interval",
    "bootstrap_interval",
    "episodes_to_criterion",
    "holm",
    "iqm",
    "mean_interval",
    "moving_average",
    "paired_t",
    "paired_transfer_efficiency",
    "relative_change",
    "share_interval",
    "transfer_efficiency",
    "two_sample_t",
    "two_way_anova",
    "wilcoxon",
]
