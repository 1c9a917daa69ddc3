"""The figures of the paper, one module per experiment: ``draw(numbers, variants)``."""
