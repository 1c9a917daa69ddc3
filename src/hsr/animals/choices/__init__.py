"""Recorded choices compared with what models predict."""

from hsr.animals.choices.api import compare_choices
from hsr.animals.choices.heading import headings
from hsr.animals.choices.result import ChoiceComparison, ChoiceDifference
from hsr.animals.choices.visits import visits

__all__ = ["ChoiceComparison", "ChoiceDifference", "compare_choices", "headings", "visits"]
