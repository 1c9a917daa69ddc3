"""Figure 5: one new goal, by linear Q-learning and by generalised policy improvement. Do features
and policies add up?
"""
