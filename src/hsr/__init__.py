"""Hierarchical predictive maps: what an agent will meet, counted over actions and over options.

Rooms, from the ground up; each imports only the ones before it.

- `hsr._base` checks input and compiles kernels.
- `hsr.kernels` runs the loops.
- `hsr.mdp` describes the world: finite MDPs, grid maps, mazes, goal tasks, exact solvers.
- `hsr.options` extends actions in time: eigen-, covering and point options, their exact models, planning over them.
- `hsr.representation` predicts: successor representation, hierarchical successor representation, in closed form and by TD.
- `hsr.basis` compresses: SVD, NMF, rows and one-hot features behind one scikit-learn contract, with quality measures.
- `hsr.agents` learn: linear Q-learning over actions and options, SARSA with a bonus, policy improvement over a pool.
- `hsr.plots` draws.
- `hsr.lab` shows it all in a browser; `hsr.widget` shows a map in a notebook.

Every public name is reached as `hsr.name` and loaded when first used, so that `import hsr` costs almost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hsr._base.errors import HSRError, HSRWarning, InputError, MapError, TooLargeError
from hsr._base.version import __version__

_ROOM_OF = {
    **dict.fromkeys(
        (
            "FiniteMDP", "GoalTask", "GridLayout", "MarkovChain", "every_goal", "from_gymnasium", "greedy_policy",
            "grid_mdp", "gymnasium_reward", "layout_names", "load_layout", "optimal_value", "random_maze", "room_grid",
            "uniform_policy",
        ),
        "hsr.mdp",
    ),
    **dict.fromkeys(
        (
            "Option", "OptionModel", "OptionSet", "covering_options", "eigenoptions", "map_vectors", "option_model",
            "plan_over_options", "point_options", "random_options",
        ),
        "hsr.options",
    ),
    **dict.fromkeys(
        (
            "PredictiveMap", "expected_hsr", "expected_sr", "hierarchical_sr", "hsr_bellman", "learn_hsr", "learn_sr",
            "successor_representation",
        ),
        "hsr.representation",
    ),
    **dict.fromkeys(
        (
            "NMFBasis", "OneHotBasis", "RowBasis", "SVDBasis", "bottleneck_ratio", "hoyer_sparsity",
            "reconstruction_error", "value_fit_r2",
        ),
        "hsr.basis",
    ),
    **dict.fromkeys(
        (
            "GPI", "ExplorationRun", "LinearQ", "OnlineOptions", "Sarsa", "TrainingRun", "Trajectory", "explore",
            "learn_options", "learn_plans", "train",
        ),
        "hsr.agents",
    ),
    "widget": "hsr.lab.widget",
}  # fmt: skip

__all__ = ["HSRError", "HSRWarning", "InputError", "MapError", "TooLargeError", "__version__", *_ROOM_OF]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'hsr' has no attribute {name!r}")
    value = getattr(import_module(_ROOM_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from hsr.agents import *  # noqa: F403
    from hsr.basis import *  # noqa: F403
    from hsr.lab.widget import widget as widget
    from hsr.mdp import *  # noqa: F403
    from hsr.options import *  # noqa: F403
    from hsr.representation import *  # noqa: F403
