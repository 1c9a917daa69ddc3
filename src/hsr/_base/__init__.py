"""Errors, argument checks, lazy matrices, compilation and seeds, without reinforcement learning.

Code that extends the library uses these through `hsr.toolkit`.
"""
