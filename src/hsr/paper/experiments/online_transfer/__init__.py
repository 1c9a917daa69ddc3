"""Figure 2a-h: two goals in sequence; maps are learned while the policy changes. Do hierarchical
rows transfer better?
"""
