"""Transfer experiments: an agent, in a world, with options, learns goals one after another."""

from hsr.paper.transfer.run import TRANSFER
from hsr.paper.transfer.setting import (
    ONLINE_MAP_CHOICES,
    SMOKE,
    TRANSFER_CHOICES,
    TransferAgent,
    TransferCondition,
    TransferSetting,
    one_condition_each,
)
from hsr.paper.transfer.tuning import TUNED, TUNED_IN_SLIP

__all__ = [
    "ONLINE_MAP_CHOICES",
    "SMOKE",
    "TRANSFER",
    "TRANSFER_CHOICES",
    "TUNED",
    "TUNED_IN_SLIP",
    "TransferAgent",
    "TransferCondition",
    "TransferSetting",
    "one_condition_each",
]
