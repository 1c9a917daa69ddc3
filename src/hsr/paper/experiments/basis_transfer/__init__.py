"""Figure 3: one goal, with features made before learning. Which map, and which basis of it, lets an
agent learn soonest?
"""
