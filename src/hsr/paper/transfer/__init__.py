"""Transfer experiments: an agent, in a world, with options, learns goals one after another."""

from hsr.paper.transfer.learning import (
    Learning,
    TransferNumbers,
    competitor,
    efficiency,
    more_efficient,
    to_goal,
)
from hsr.paper.transfer.run import SIZES, TRANSFER
from hsr.paper.transfer.setting import (
    OTHER_MAZES,
    ROWS,
    SMOKE,
    TransferCondition,
    TransferSetting,
    episode_count,
    goal_number,
    gpi_word,
    horizon_length,
    map_discount_list,
    map_rate_list,
    one_condition_each,
    pool_size,
)
from hsr.paper.transfer.tuning import TUNED, TUNED_DISCOUNTS, TUNED_IN_SLIP

__all__ = [
    "OTHER_MAZES",
    "ROWS",
    "SIZES",
    "SMOKE",
    "TRANSFER",
    "TUNED",
    "TUNED_DISCOUNTS",
    "TUNED_IN_SLIP",
    "Learning",
    "TransferCondition",
    "TransferNumbers",
    "TransferSetting",
    "competitor",
    "efficiency",
    "episode_count",
    "goal_number",
    "gpi_word",
    "horizon_length",
    "map_discount_list",
    "map_rate_list",
    "more_efficient",
    "one_condition_each",
    "pool_size",
    "to_goal",
]
