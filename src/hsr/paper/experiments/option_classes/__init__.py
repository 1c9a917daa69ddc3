"""Figure S4: other options, and more or fewer of them. Does the transfer of hierarchical rows
depend on which they are?
"""
