"""One plugin of each kind for `hsr`: options, a representation, a bonus and an engine."""
