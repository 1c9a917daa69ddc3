"""Compiled leaves: arrays in, arrays out, no validation. One file per concern; nothing here creates
randomness.
"""
