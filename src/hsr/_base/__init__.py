"""Errors, argument checks, lazy matrices, compilation and seeds, without reinforcement learning.

Code that extends the library finds the most useful ones in `hsr.toolkit`.
"""
