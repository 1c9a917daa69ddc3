"""Figure 2i-l: the agents find their options while they learn. Do hierarchical rows still transfer
better?
"""
