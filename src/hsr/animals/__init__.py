"""Compare predictive maps with the spikes and choices of tracked animals.

- `rate_maps`, `place_fields` and `field_measures`, with single measures, describe firing fields.
- `compare_cells` compares maps by their prediction of held-out spikes. `recovery` tests whether a
  recording could distinguish them, and `discriminate` finds the change of the maze that would.
- `read_paths` reads the paths of subjects from a table, as `hsr.datasets` has them.
- `compare_choices` compares maps by their prediction of moves. `visits` and `headings` prepare the
  paths.
- `recover_choices` tests whether recorded choices could tell models apart.
- `join_cells` and `join_choices` join the results of several animals.
"""

from hsr.animals.cells.comparison import compare_cells
from hsr.animals.cells.discrimination import discriminate
from hsr.animals.cells.joining import join_cells
from hsr.animals.cells.recovery import Recovery, recovery
from hsr.animals.cells.result import CellComparison
from hsr.animals.choices.comparison import compare_choices
from hsr.animals.choices.recorded import headings, visits
from hsr.animals.choices.recovery import ChoiceRecovery, recover_choices
from hsr.animals.choices.result import ChoiceComparison, JoinedChoices, join_choices
from hsr.animals.fields import place_fields
from hsr.animals.gridness import grid_score
from hsr.animals.intervals import Difference
from hsr.animals.measures import border_score, field_measures, spatial_information
from hsr.animals.paths import Paths, read_paths
from hsr.animals.rates import rate_maps

__all__ = [
    "CellComparison",
    "ChoiceComparison",
    "ChoiceRecovery",
    "Difference",
    "JoinedChoices",
    "Paths",
    "Recovery",
    "border_score",
    "compare_cells",
    "compare_choices",
    "discriminate",
    "field_measures",
    "grid_score",
    "headings",
    "join_cells",
    "join_choices",
    "place_fields",
    "rate_maps",
    "read_paths",
    "recover_choices",
    "recovery",
    "spatial_information",
    "visits",
]
