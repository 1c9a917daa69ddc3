"""Figure S6: mazes of growing size without reward. Does HSR-SPIE still explore better when options
are found on the way?
"""
