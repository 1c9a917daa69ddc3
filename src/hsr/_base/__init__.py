"""Errors, argument checks, lazy matrices, compilation and seeds, without reinforcement learning.

Applications and plugins use these through `hsr.toolkit`.
"""
