"""Animals and maps: spikes and choices of a tracked animal compared with predictive maps."""

__all__: list[str] = []
