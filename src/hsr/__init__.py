"""Hierarchical predictive maps for reinforcement learning.

A predictive map holds the expected discounted number of visits to every state. The successor
representation (SR) counts over primitive actions, the hierarchical one (HSR) over options.

- `hsr.mdp`: finite MDPs, Markov chains, goal tasks, exact solvers and spectra.
- `hsr.grids`: layouts, mazes and their MDPs.
- `hsr.adapters`: MDPs from Gymnasium, networkx, MiniGrid, transition logs and tracked positions.
- `hsr.options`: option sets, discovery methods, exact option models, planning over options.
- `hsr.representation`: SR, HSR and expected maps, in closed form and by TD learning.
- `hsr.basis`: SVD, NMF, rows and one-hot features as scikit-learn estimators, with quality
  measures.
- `hsr.animals`: place fields, and maps compared with cells and choices of animals.
- `hsr.datasets`: recordings of animals and people, fetched from their authors' repositories.
- `hsr.agents`: linear Q-learning over actions and options, SARSA with exploration bonuses,
  generalised policy improvement.
- `hsr.deep`: maps, options and parts learned by networks, and the benchmark of known answers.
- `hsr.envs`: Gymnasium environments and wrappers. ``import hsr.envs`` registers the environments.
- `hsr.files` and `hsr.plots`: saving and drawing.
- `hsr.toolkit`: building blocks for code that extends the library.
- `hsr.experiments` and `hsr.paper`: experiments of any kind over worlds, and those of the paper.
- `hsr.lab` and `hsr.cli`: the interactive page, and the `hsr` command.

The names that most programs need are available as ``hsr.name``, all others as
``hsr.package.name``. Names and packages are loaded when first used, so that ``import hsr`` costs
almost nothing.

Examples
--------
>>> import hsr
>>> mdp = hsr.grid_mdp("four_rooms", discount=0.9)
>>> options = hsr.eigenoptions(mdp, n_options=8)
>>> M = hsr.expected_hsr(mdp, options, hsr.goal_tasks(mdp))
>>> hsr.NMFBasis(n_components=16).fit(M).features_.shape
(104, 16)
"""

__distribution__ = "hsr-rl"  # before all imports: it tells this package from another hsr

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hsr._base.errors import HSRError, HSRWarning, InputError
from hsr._base.extras import missing_packages
from hsr._base.version import __version__

_NAMES_OF = {
    "hsr.mdp": """
        EstimatedMDP FiniteMDP GoalTask MarkovChain RewardTask goal_tasks greedy_policy
        optimal_value reward_tasks
    """,
    "hsr.grids": "GridLayout grid_mdp layout_names load_layout random_maze room_grid",
    "hsr.adapters": """
        TrackedMDP from_gymnasium from_minigrid from_networkx from_path from_positions
        from_transitions
    """,
    "hsr.options": """
        OPTION_KINDS OptionModel OptionSet betweenness_options covering_options diffusion_options
        eigenoptions make_options option_model plan_over_options point_options random_options
        successor_options uniform_policy
    """,
    "hsr.representation": """
        REPRESENTATIONS PredictiveMap bellman_sweeps expected_hsr expected_sr hierarchical_sr
        horizon learn_hsr learn_sr learn_sr_along make_representation predicted_horizon reach_goals
        regress_reward revalue successor_features successor_representation
    """,
    "hsr.basis": "BASES NMFBasis OneHotBasis RowBasis SVDBasis",
    "hsr.agents": """
        BONUSES GPI LinearQ OnlineOptions Sarsa Schedule World explore learn_options
        learn_plans sample_worlds train tune
    """,
    "hsr.envs": "FeatureObservation GridWorld OptionEnv",
    "hsr.files": "load save",
    "hsr.lab.widget": "widget",
    "hsr.experiments.card": "card",
}
_PACKAGES = """
    mdp grids adapters options representation basis animals agents envs files plots toolkit
    datasets deep experiments paper lab cli
"""
_PACKAGE_OF = {name: package for package, names in _NAMES_OF.items() for name in names.split()}

__all__ = [
    "HSRError",
    "HSRWarning",
    "InputError",
    "__version__",
    *_PACKAGE_OF,
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES.split():
        return import_module(f"hsr.{name}")
    if name not in _PACKAGE_OF:
        raise AttributeError(f"module 'hsr' has no attribute {name!r}")
    value = getattr(import_module(_PACKAGE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, without those whose packages are not installed."""
    absent = {"hsr.envs": "envs", "hsr.experiments.card": "paper"}
    hidden = {package for package, extra in absent.items() if missing_packages(extra)}
    return sorted(name for name in __all__ if _PACKAGE_OF.get(name) not in hidden)


if TYPE_CHECKING:
    from hsr import adapters as adapters
    from hsr import agents as agents
    from hsr import animals as animals
    from hsr import basis as basis
    from hsr import datasets as datasets
    from hsr import deep as deep
    from hsr import envs as envs
    from hsr import files as files
    from hsr import grids as grids
    from hsr import mdp as mdp
    from hsr import options as options
    from hsr import plots as plots
    from hsr import representation as representation
    from hsr import toolkit as toolkit
    from hsr.adapters import *  # noqa: F403
    from hsr.agents import *  # noqa: F403
    from hsr.basis import *  # noqa: F403
    from hsr.envs import *  # noqa: F403
    from hsr.experiments.card import card as card
    from hsr.files import *  # noqa: F403
    from hsr.grids import *  # noqa: F403
    from hsr.lab.widget import widget as widget
    from hsr.mdp import *  # noqa: F403
    from hsr.options import *  # noqa: F403
    from hsr.representation import *  # noqa: F403
