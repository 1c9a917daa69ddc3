"""A control that the paper lacks: every kind of features at the step size that suits it, tuned on goals that do not count."""
