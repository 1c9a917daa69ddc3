"""All methods of the benchmark."""

from hsr.deep.benchmark import heads, laplacian, oracles
from hsr.deep.benchmark.contrastive import CONTRASTIVE
from hsr.deep.benchmark.forward_backward import FORWARD_BACKWARD
from hsr.deep.benchmark.goal_dqn import GOAL_DQN
from hsr.deep.benchmark.one_step import ONE_STEP

METHODS = (
    oracles.SR,
    oracles.HSR,
    heads.SR,
    heads.LOG_SR,
    heads.HSR,
    FORWARD_BACKWARD,
    ONE_STEP,
    CONTRASTIVE,
    laplacian.METHOD,
    GOAL_DQN,
)
