"""The figures of the paper, drawn from the numbers of its experiments."""
