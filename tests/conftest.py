"""What every test shares: examples that are the same on every machine, and figures without a screen."""

import os

from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")

settings.register_profile("house", derandomize=True, deadline=None, max_examples=50, print_blob=True, database=None)
settings.register_profile("thorough", deadline=None, max_examples=2000, print_blob=True, database=None)
settings.load_profile(os.environ.get("HSR_HYPOTHESIS_PROFILE", "house"))
