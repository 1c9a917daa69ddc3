"""The paper's figures, one folder each."""

from hsr.toolkit import needs

needs("paper", "hsr.paper")
