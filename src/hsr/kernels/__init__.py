"""Compiled functions: arrays in, arrays out, no validation.

One file per algorithm. Random numbers come from a generator of the caller.
"""
