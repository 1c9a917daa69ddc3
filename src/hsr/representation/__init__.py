"""Predictive maps: the successor representation and its hierarchical form, exact and learned.

**Which map should I use?** `successor_representation` of the random walk needs no goals and
describes geometry. `expected_sr` and `expected_hsr` average over the tasks that you expect: the
first over primitive actions, the second over options. `learn_sr` and `learn_hsr` learn a map from
simulated experience, `learn_hsr_intra_option` from the steps of any behaviour, and `learn_sr_along`
from recorded paths. If the MDP is known, the closed forms are exact and faster.
"""

from hsr.representation.expected import expected_hsr, expected_sr
from hsr.representation.hierarchical import hierarchical_sr, hsr_bellman
from hsr.representation.horizons import Horizon, horizon, matched_discount, predicted_horizon
from hsr.representation.intra_option import learn_hsr_intra_option
from hsr.representation.policy_value import policy_value
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.reach import Reach, reach_goals, successor_of_choices
from hsr.representation.registry import (
    REPRESENTATIONS,
    MapDetails,
    MapSpec,
    make_representation,
)
from hsr.representation.revaluation import Revaluation, revalue
from hsr.representation.sampled import SampledMap
from hsr.representation.sf import (
    SuccessorFeatures,
    regress_reward,
    successor_features,
)
from hsr.representation.sr import successor_representation
from hsr.representation.sweeps import bellman_sweeps
from hsr.representation.td import learn_hsr, learn_sr, learn_sr_along

__all__ = [
    "REPRESENTATIONS",
    "Horizon",
    "MapDetails",
    "MapSpec",
    "PredictiveMap",
    "Reach",
    "Revaluation",
    "SampledMap",
    "SuccessorFeatures",
    "bellman_sweeps",
    "expected_hsr",
    "expected_sr",
    "hierarchical_sr",
    "horizon",
    "hsr_bellman",
    "learn_hsr",
    "learn_hsr_intra_option",
    "learn_sr",
    "learn_sr_along",
    "make_representation",
    "matched_discount",
    "policy_value",
    "predicted_horizon",
    "reach_goals",
    "regress_reward",
    "revalue",
    "successor_features",
    "successor_of_choices",
    "successor_representation",
]
