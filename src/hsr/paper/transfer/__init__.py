"""Transfer experiments: an agent, in a world, with options, learns goals one after another."""

from hsr.paper.transfer.learning import Learning, TransferNumbers, efficiency, to_goal
from hsr.paper.transfer.run import SIZES, TRANSFER
from hsr.paper.transfer.setting import (
    SMOKE,
    Episodes,
    GoalNumber,
    Horizon,
    TransferAgent,
    TransferCondition,
    TransferSetting,
    one_condition_each,
)
from hsr.paper.transfer.tuning import TUNED, TUNED_IN_SLIP

__all__ = [
    "SIZES",
    "SMOKE",
    "TRANSFER",
    "TUNED",
    "TUNED_IN_SLIP",
    "Episodes",
    "GoalNumber",
    "Horizon",
    "Learning",
    "TransferAgent",
    "TransferCondition",
    "TransferNumbers",
    "TransferSetting",
    "efficiency",
    "one_condition_each",
    "to_goal",
]
