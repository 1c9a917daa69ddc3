"""Hierarchical predictive maps: what an agent will meet, counted over actions and over options.

Rooms, from the ground up; each imports only the ones before it.

- `hsr._base` checks input and compiles kernels.
- `hsr.kernels` runs the loops.
- `hsr.mdp` describes the world: finite MDPs, grid maps, mazes, goal tasks, exact solvers.
- `hsr.options` extends actions in time: eigen-, covering and point options, their exact models,
  planning over them.
- `hsr.representation` predicts: successor representation, hierarchical successor representation, in
  closed form and by TD.
- `hsr.basis` compresses: SVD, NMF, rows and one-hot features behind one scikit-learn contract, with
  quality measures.
- `hsr.files` keeps: maps, options, bases and MDPs as files, each with the mark of its world.
- `hsr.agents` learn: linear Q-learning over actions and options, SARSA with a bonus, policy
  improvement over a pool.
- `hsr.plots` draws.
- `hsr.lab` shows it all in a browser; `hsr.widget` shows a map in a notebook.

Every public name is reached as `hsr.name` and loaded when first used, so that `import hsr` costs
almost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hsr._base.errors import HSRError, HSRWarning, InputError, LayoutError, TooLargeError
from hsr._base.extras import missing_packages
from hsr._base.import_hook import when_imported
from hsr._base.version import __version__

_PACKAGE_OF = {
    **dict.fromkeys(
        (
            "EstimatedMDP", "FiniteMDP", "GoalTask", "MarkovChain", "goal_tasks", "greedy_policy", "leading_vectors",
            "optimal_value", "policy_chain", "uniform_policy",
        ),
        "hsr.mdp",
    ),
    **dict.fromkeys(
        (
            "GridLayout", "LayoutCells", "WorldSpec", "grid_mdp", "layout_names", "load_layout", "parse_layout",
            "random_maze", "room_grid",
        ),
        "hsr.grids",
    ),
    **dict.fromkeys(
        (
            "from_gymnasium", "from_minigrid", "from_networkx", "from_transitions", "gymnasium_reward", "walk_policy",
        ),
        "hsr.adapters",
    ),
    **dict.fromkeys(
        (
            "OPTION_KINDS", "Option", "OptionModel", "OptionSet", "covering_options", "eigenoptions", "make_options", "map_vectors",
            "option_model", "plan_over_options", "point_options", "random_options",
            "uniform_choice",
        ),
        "hsr.options",
    ),
    **dict.fromkeys(
        (
            "REPRESENTATIONS", "MapSpec", "PredictiveMap", "expected_hsr", "expected_sr", "hierarchical_sr", "hsr_bellman", "learn_hsr", "learn_sr",
            "make_representation", "successor_representation",
        ),
        "hsr.representation",
    ),
    **dict.fromkeys(
        (
            "BASES", "BasisSpec", "NMFBasis", "OneHotBasis", "RowBasis", "SVDBasis", "bottleneck_ratio", "hoyer_sparsity",
            "reconstruction_error", "value_fit_r2", "value_fit_scorer",
        ),
        "hsr.basis",
    ),
    **dict.fromkeys(
        (
            "BONUSES", "GPI", "ExplorationRun", "LinearQ", "OnlineOptions", "OptionSpec", "Sarsa", "TrainingRun", "Trajectory", "explore",
            "learn_options", "learn_plans", "train",
        ),
        "hsr.agents",
    ),
    **dict.fromkeys(
        ("FeatureObservation", "FeatureObservationVector", "GridWorld", "GridWorldVector", "OptionEnv"),
        "hsr.envs",
    ),
    **dict.fromkeys(("load", "save"), "hsr.files"),
    "plugins": "hsr._base.plugins",
    "widget": "hsr.lab.widget",
}  # fmt: skip

_MAP_OF = {
    "GridWorld": "four_rooms",
    "FourRooms": "four_rooms",
    "FourRoomsBarriers": "four_rooms_barriers",
    "Loop": "loop",
    "Corridor": "corridor",
    "PairedBottlenecks": "paired_bottlenecks",
}
_HORIZON = 5000

__all__ = [
    "HSRError",
    "HSRWarning",
    "InputError",
    "LayoutError",
    "TooLargeError",
    "__version__",
    *_PACKAGE_OF,
]


def __getattr__(name: str) -> Any:
    if name not in _PACKAGE_OF:
        raise AttributeError(f"module 'hsr' has no attribute {name!r}")
    value = getattr(import_module(_PACKAGE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, without those whose packages are not installed."""
    absent = {"hsr.envs": "envs", "hsr.lab.widget": "widget"}
    hidden = {package for package, extra in absent.items() if missing_packages(extra)}
    return sorted(name for name in __all__ if _PACKAGE_OF.get(name) not in hidden)


def _register_environments() -> None:
    """Tell Gymnasium the names of the environments; their code is loaded when one is made."""
    from gymnasium.envs.registration import register, registry

    for name, layout in _MAP_OF.items():
        if f"hsr/{name}-v0" not in registry:
            register(
                f"hsr/{name}-v0",
                entry_point="hsr.envs.grid_world:GridWorld",
                vector_entry_point="hsr.envs.grid_vector:GridWorldVector",
                max_episode_steps=_HORIZON,
                kwargs={"layout": layout},
            )


when_imported("gymnasium", _register_environments)


if TYPE_CHECKING:
    from hsr._base.plugins import plugins as plugins
    from hsr.adapters import *  # noqa: F403
    from hsr.agents import *  # noqa: F403
    from hsr.basis import *  # noqa: F403
    from hsr.envs import *  # noqa: F403
    from hsr.files import *  # noqa: F403
    from hsr.grids import *  # noqa: F403
    from hsr.lab.widget import widget as widget
    from hsr.mdp import *  # noqa: F403
    from hsr.options import *  # noqa: F403
    from hsr.representation import *  # noqa: F403
