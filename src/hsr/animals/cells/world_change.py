"""Changes of a world, in the order in which they separate models of place fields."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hsr._base.extras import needs

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]


@dataclass(frozen=True)
class WorldChange:
    """A change of the world, and how well it separates the models.

    Attributes
    ----------
    kind : {"barrier", "goal"}
        What changes.
    states : tuple
        The pairs of states between which passages are blocked, or the goal.
    labels : tuple
        The same with the labels of states. Equal to `states` if there are none.
    before, after : float
        Bits per spike by which a cell's true model predicts better than the other model, averaged
        over cells and ordered pairs of models, in the world as it is and after the change.
    closest : tuple of two str
        The two models that the change separates least: the true one and the other.
    closest_after : float
        Bits per spike between these two after the change.

    Examples
    --------
    >>> import hsr
    >>> change = hsr.WorldChange("goal", (3,), (3,), 0.1, 0.3, ("sr", "hsr"), 0.2)
    >>> round(change.gain, 1)
    0.2
    """

    kind: str
    states: tuple[Any, ...]
    labels: tuple[Any, ...]
    before: float
    after: float
    closest: tuple[str, str]
    closest_after: float

    @property
    def gain(self) -> float:
        """Bits per spike that the change adds."""
        return self.after - self.before

    def __str__(self) -> str:
        what = (
            f"a goal at {self.labels[0]}"
            if self.kind == "goal"
            else "a barrier between " + ", ".join(f"{a} and {b}" for a, b in self.labels)
        )
        return (
            f"{what}: {self.after:.3f} bits per spike, {self.before:.3f} before; "
            f"least {self.closest_after:.3f}, {self.closest[0]} from {self.closest[1]}"
        )


@dataclass(frozen=True)
class Discrimination:
    """Changes of a world, the one that separates the models most first; `discriminate` makes one.

    Attributes
    ----------
    models : tuple of str
        The models.
    changes : tuple of WorldChange
        The changes that were tried, in the order of what they add.

    Examples
    --------
    >>> import hsr
    >>> change = hsr.WorldChange("goal", (3,), (3,), 0.1, 0.3, ("sr", "hsr"), 0.2)
    >>> hsr.Discrimination(("sr", "hsr"), (change,)).best.kind
    'goal'
    """

    models: tuple[str, ...]
    changes: tuple[WorldChange, ...]

    @property
    def best(self) -> WorldChange:
        """The change that adds most."""
        return self.changes[0]

    def table(self) -> list[dict[str, Any]]:
        """Return one dictionary per change."""
        return [{**vars(change), "gain": change.gain} for change in self.changes]

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `table` as a data frame."""
        needs("pandas", "Discrimination.to_pandas")
        import pandas

        return pandas.DataFrame(self.table())

    def __str__(self) -> str:
        return "\n".join(str(change) for change in self.changes[:10])
