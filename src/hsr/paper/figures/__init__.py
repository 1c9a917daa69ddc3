"""The figures of the paper, one module per experiment, each with a function `draw`."""
