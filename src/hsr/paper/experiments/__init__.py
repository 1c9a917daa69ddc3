"""One folder per experiment of the paper."""
