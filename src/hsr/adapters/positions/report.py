"""What was kept of a recording, what was left out, and why."""

from collections.abc import Hashable
from dataclasses import dataclass, fields

_NAMED = 5  # how many bins the text names


@dataclass(frozen=True)
class PositionsReport:
    """What `from_positions` kept and left out.

    Attributes
    ----------
    frames : int
        Frames of the recording.
    kept : int
        Frames that count.
    missing : int
        Frames without a position.
    outside : int
        Frames outside of all bins: beyond the arena, or in a wall of the layout.
    between_trials : int
        Frames that belong to no trial.
    glitches : int
        Frames of pieces of one or two frames that jumps cut off. They count as missing.
    unconnected : int
        Frames in bins that are not connected with the rest.
    jumps : int
        Times that the animal seemed to move faster than `max_speed`.
    max_speed : float
        The fastest that the animal was taken to move, in units of xy per unit of t.
    gaps : int
        Times that the path was split because frames are missing.
    bridged : int
        Times that missing frames were skipped, because the animal reappeared nearby.
    segments : int
        Pieces of the path between which nothing is assumed.
    moves : int
        Moves between neighbouring bins, with those that were filled in.
    filled : int
        Moves over one or more bins that were filled in with the shortest way.
    not_filled : int
        Moves over one or more bins for which no short way was known. They split the path.
    dropped_bins : tuple
        Labels of bins that are not connected with the rest.
    """

    frames: int
    kept: int
    missing: int
    outside: int
    between_trials: int
    glitches: int
    unconnected: int
    jumps: int
    max_speed: float
    gaps: int
    bridged: int
    segments: int
    moves: int
    filled: int
    not_filled: int
    dropped_bins: tuple[Hashable, ...]

    def __str__(self) -> str:
        lines = [f"{self.kept:,} of {self.frames:,} frames kept, in {self.segments:,} segments"]
        reasons = {
            "missing": "frames without a position",
            "outside": "frames outside of all bins",
            "between_trials": "frames between trials",
            "glitches": "frames that are glitches, cut off by jumps",
            "unconnected": f"frames in bins that are not connected, {self._named_bins()}",
            "jumps": f"jumps faster than {self.max_speed:.4g}, which split the path",
            "gaps": "gaps, which split the path",
            "bridged": "gaps that were skipped, because the animal reappeared nearby",
            "filled": "moves over bins, filled in with the shortest way",
            "not_filled": "moves over bins without a short way, which split the path",
        }
        lines += [
            f"{reason}: {getattr(self, name):,}"
            for name, reason in reasons.items()
            if getattr(self, name)
        ]
        lines.append(f"moves between neighbouring bins: {self.moves:,}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """Return all numbers by name, for a table or a file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _named_bins(self) -> str:
        few = ", ".join(map(str, self.dropped_bins[:_NAMED]))
        return few + (", ..." if len(self.dropped_bins) > _NAMED else "")
