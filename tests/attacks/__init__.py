"""Attacks on the library, grouped by what they attack."""
