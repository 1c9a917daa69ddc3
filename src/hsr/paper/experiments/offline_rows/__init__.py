"""Figure S2: rows of maps that were made before learning. Do hierarchical rows transfer better than
flat ones?
"""
