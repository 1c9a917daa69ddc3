"""Transfer experiments: an agent, in a world, with options, learns goals one after another."""

from hsr.paper.transfer.learning import (
    Learning,
    TransferNumbers,
    efficiency,
    goals_of,
    loss,
    more_efficient,
    tables,
    to_goal,
)
from hsr.paper.transfer.run import SIZES, TRANSFER
from hsr.paper.transfer.setting import (
    EXACT_RW,
    EXACT_RW_ROWS,
    OTHER_MAZES,
    ROWS,
    SMOKE,
    TransferCondition,
    TransferSetting,
    episode_count,
    goal_number,
    gpi_word,
    horizon_length,
    one_condition_each,
    pool_size,
    training_word,
)
from hsr.paper.transfer.tuning import TUNED, VARIANTS

__all__ = [
    "EXACT_RW",
    "EXACT_RW_ROWS",
    "OTHER_MAZES",
    "ROWS",
    "SIZES",
    "SMOKE",
    "TRANSFER",
    "TUNED",
    "VARIANTS",
    "Learning",
    "TransferCondition",
    "TransferNumbers",
    "TransferSetting",
    "efficiency",
    "episode_count",
    "goal_number",
    "goals_of",
    "gpi_word",
    "horizon_length",
    "loss",
    "more_efficient",
    "one_condition_each",
    "pool_size",
    "tables",
    "to_goal",
    "training_word",
]
