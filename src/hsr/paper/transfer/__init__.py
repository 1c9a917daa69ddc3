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
    Episodes,
    GoalNumber,
    Horizon,
    MapDiscounts,
    MapRates,
    Pool,
    TransferAgent,
    TransferCondition,
    TransferSetting,
    one_condition_each,
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
    "Episodes",
    "GoalNumber",
    "Horizon",
    "Learning",
    "MapDiscounts",
    "MapRates",
    "Pool",
    "TransferAgent",
    "TransferCondition",
    "TransferNumbers",
    "TransferSetting",
    "competitor",
    "efficiency",
    "more_efficient",
    "one_condition_each",
    "to_goal",
]
