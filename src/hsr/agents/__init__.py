"""Agents that learn over actions and options, compiled, all seeds at once.

- `train` runs `LinearQ` or `GPI` on tasks in sequence and returns a `TrainingRun`.
- `Agent` is what an agent of your own looks like, in plain Python.
- `explore` runs `Sarsa` for a number of steps, with or without a task, and returns an
  `ExplorationRun`.
- `OnlineOptions` takes the place of an option set if options are to be found online.
- `Schedule` tells when the MDP changes, and what happens to the options then.
- `learn_options` and `learn_plans` learn what `eigenoptions` and `plan_over_options` compute
  exactly.
- `tune` chooses learning rates and other settings in tasks that are not scored.
- `sample_worlds` draws starts, goals and signs of eigenvectors, to repeat a comparison in other
  worlds of the same layout.

**Which agent should I use?** `LinearQ` with given features is the fastest and the easiest to reason
about. Begin with "onehot" as the baseline, and always `tune` the learning rate for each kind of
features. Rows learned online ("sr", "hsr") show what an agent can do without pre-training. Use
`GPI` if you have policies of related tasks. Use `Sarsa` with a bonus for exploration, and compare
it with ``bonus=None`` and the same options.
"""

from hsr.agents.bonuses import BONUSES
from hsr.agents.choosing import best_setting
from hsr.agents.custom import Agent, AgentContext, Step
from hsr.agents.exploration.api import explore
from hsr.agents.exploration.run import ExplorationRun
from hsr.agents.gpi import GPI, REWARDS
from hsr.agents.learned import learn_options, learn_plans
from hsr.agents.linear_q import LinearQ
from hsr.agents.online import OnlineOptions
from hsr.agents.option_spec import OptionSpec
from hsr.agents.sarsa import Sarsa
from hsr.agents.schedule import Schedule
from hsr.agents.specs import all_settings
from hsr.agents.training.api import train
from hsr.agents.training.run import EpisodeRecord, TrainingRun
from hsr.agents.trajectory import Trajectory
from hsr.agents.tuning import Tuning, tune
from hsr.agents.worlds import World, draw_worlds, sample_worlds

__all__ = [
    "BONUSES",
    "GPI",
    "REWARDS",
    "Agent",
    "AgentContext",
    "EpisodeRecord",
    "ExplorationRun",
    "LinearQ",
    "OnlineOptions",
    "OptionSpec",
    "Sarsa",
    "Schedule",
    "Step",
    "TrainingRun",
    "Trajectory",
    "Tuning",
    "World",
    "all_settings",
    "best_setting",
    "draw_worlds",
    "explore",
    "learn_options",
    "learn_plans",
    "sample_worlds",
    "train",
    "tune",
]
