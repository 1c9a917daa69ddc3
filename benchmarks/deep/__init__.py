"""Benchmarks of networks, which need the extra `deep` and a GPU."""
