"""Ground floor: errors, validation, lazy matrices, compilation, seeds. Nothing here knows about
reinforcement learning.
"""
