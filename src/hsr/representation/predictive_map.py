"""`PredictiveMap`: discounted visits to every state (columns) from every state (rows), computed as far as it is looked at."""

from hsr._base.lazy import LazyMatrix


class PredictiveMap(LazyMatrix):
    """A successor representation, plain or hierarchical, of shape (S, S).

    Exact and lazy: ``M.rows(states)`` and ``M.columns(states)`` give parts, ``M @ reward`` gives values, ``M.toarray()``
    gives all entries (and is refused, with the bytes it would take, when they would not fit). A map of a million states
    answers the first three in seconds.
    """
