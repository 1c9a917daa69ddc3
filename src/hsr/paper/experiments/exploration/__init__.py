"""Figure 6: mazes without reward, or with one far goal. Do bonuses taken of the HSR, with options,
explore better?
"""
