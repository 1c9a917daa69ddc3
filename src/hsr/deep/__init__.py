"""Maps, options and parts learned by networks, for observations that are not state numbers.

Everything is learned from transitions. Where the MDP is known, every result is compared with the
exact answer. JAX, Optax and Equinox come with the extra ``deep``: ``pip install '.[deep]'``
in a clone.

>>> import hsr, hsr.deep
>>> from hsr.deep import Network, Training
>>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
>>> small = dict(network=Network(width=64), training=Training(n_updates=600))
>>> M = hsr.deep.learn_sr(hsr.deep.random_steps(mdp, 2000), mdp=mdp, **small)
>>> M.curve[-1].error < 0.05
True
"""

from hsr._base.extras import needs

needs("deep", "hsr.deep")

from hsr.deep import against_exact as against_exact
from hsr.deep.eigenoptions import LearnedOptions, learn_eigenoptions
from hsr.deep.eigenvectors import learn_eigenvectors
from hsr.deep.experience import Observed
from hsr.deep.learned_map import LearnedMap
from hsr.deep.learned_measure import LearnedMeasure
from hsr.deep.learned_vectors import LearnedVectors
from hsr.deep.measure import learn_measure
from hsr.deep.networks import Network
from hsr.deep.parts import DeepParts
from hsr.deep.successor import learn_hsr, learn_sr
from hsr.deep.training import Report, Training
from hsr.representation.intra_option import random_steps

__all__ = [
    "DeepParts",
    "LearnedMap",
    "LearnedMeasure",
    "LearnedOptions",
    "LearnedVectors",
    "Network",
    "Observed",
    "Report",
    "Training",
    "learn_eigenoptions",
    "learn_eigenvectors",
    "learn_hsr",
    "learn_measure",
    "learn_sr",
    "random_steps",
]
