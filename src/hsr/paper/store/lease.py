"""`Leases`: which jobs a driver works on, so that several drivers of one store share the work.

A lease is a small file that names its holder. It is an advice and no lock: a run is done if and
only if it is in the store. If a lease is lost or ignored, a run is computed twice and the records
are equal. Leases need nothing of the file system but the exclusive creation of a file.
"""

import json
import os
import platform
import secrets
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from hsr.paper.store.process import lives, status_of, this_machine

SECONDS_BETWEEN_BEATS = 10.0
SECONDS_UNTIL_STALE = 60.0
_MOST_BYTES = 2**12
_TOUCHED_AT_ONCE = 50


class Sighting(NamedTuple):
    """A lease of somebody else as it was seen: what would change if its holder were alive."""

    content: bytes
    modified: int


class Leases:
    """The leases of one driver, as files ``FOLDER/NAME.lease``.

    A living driver touches its leases every few seconds. The lease of another driver is stale, and
    is taken over, in two cases. Its process has ended, if it ran on this machine. Or its file has
    not changed for `SECONDS_UNTIL_STALE` on the clock of the process that waits. Clocks of
    different machines are never compared.

    Parameters
    ----------
    folder : Path
        The folder of the leases. It is made with the first lease and removed with the last one.
    clock : callable
        Returns the seconds since some moment.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "leases"
    >>> mine, other = Leases(folder), Leases(folder)
    >>> mine.take("job"), other.take("job")
    (True, False)
    >>> mine.close()
    >>> other.take("job")
    True
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder, self._clock = folder, clock
        self._held: Counter[str] = Counter()
        self._seen: dict[str, tuple[Sighting, float]] = {}
        self._touched: dict[str, float] = {}
        self._mine = json.dumps(_holder()).encode("ascii")

    def take(self, name: str) -> bool:
        """Take a lease and return whether this driver has it now.

        A lease that this driver holds already is taken once more, and has to be released as often.
        If the folder takes no files, as on a full disk, the work is done without leases.
        """
        if name not in self._held and not self._create(name):
            stale = self._stale(name)
            if stale is None or not self._take_over(name, stale):
                return False
        self._seen.pop(name, None)
        self._held[name] += 1
        self._touched.setdefault(name, self._clock())
        return True

    def release(self, name: str) -> None:
        """Give back a lease. Nothing happens if another driver has taken it over."""
        self._held[name] -= 1
        if self._held[name] <= 0:
            del self._held[name], self._touched[name]
            sighting = self._look(name)
            if sighting is not None and sighting.content == self._mine:
                with suppress(OSError):
                    os.unlink(self._path(name))

    def touch(self) -> None:
        """Show that this driver is alive, by the times of its files. Call this often.

        Each call touches a few files, so that none takes long on a slow network disk.
        """
        now = self._clock()
        for name in list(islice(self._touched, _TOUCHED_AT_ONCE)):
            if now - self._touched[name] < SECONDS_BETWEEN_BEATS:
                break
            del self._touched[name]  # the oldest come first
            self._touched[name] = now
            with suppress(OSError):
                os.utime(self._path(name))

    def holder(self, name: str) -> str:
        """Return who holds a lease, in words for the user."""
        sighting = self._look(name)
        who = _parsed(sighting.content) if sighting else {}
        return f"process {who['pid']} on {who['host']}" if who else "another process"

    def close(self) -> None:
        """Give back every lease, and remove those of drivers that have ended on this machine."""
        for name in list(self._held):
            self._held[name] = 1
            self.release(name)
        for path in self.folder.glob("*.lease"):
            sighting = self._look(path.stem)
            if sighting is not None and _has_ended(_parsed(sighting.content)):
                with suppress(OSError):
                    self._remove(path.stem, sighting)
        with suppress(OSError):  # other drivers have leases, or there is no folder
            self.folder.rmdir()

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.lease")

    def _create(self, name: str) -> bool:
        """Make the file of a lease. Return whether nobody else had one."""
        for _ in range(2):
            try:
                with open(self._path(name), "xb", buffering=0) as file:
                    file.write(self._mine)
                return True
            except FileExistsError:
                return False
            except FileNotFoundError:  # the first lease, or another driver has just ended
                with suppress(OSError):
                    self.folder.mkdir(exist_ok=True)
            except OSError:
                return True
        return True

    def _look(self, name: str) -> Sighting | None:
        """Return a lease as it is now, without its content if it cannot be read."""
        path = self._path(name)
        try:
            modified, content = os.stat(path).st_mtime_ns, b""
        except OSError:
            return None
        with suppress(OSError), open(path, "rb", buffering=0, opener=_without_waiting) as file:
            content = file.read(_MOST_BYTES) or b""
        return Sighting(content, modified)

    def _stale(self, name: str) -> Sighting | None:
        """Return the lease of another driver if that driver does not work on it any more."""
        sighting, now = self._look(name), self._clock()
        if sighting is None:
            return None
        before, since = self._seen.get(name, (None, now))
        if sighting != before:
            self._seen[name] = (sighting, now)
            since = now
        if now - since >= SECONDS_UNTIL_STALE or _has_ended(_parsed(sighting.content)):
            return sighting
        return None

    def _take_over(self, name: str, stale: Sighting) -> bool:
        """Replace a stale lease, and return whether no other driver was quicker."""
        try:
            return self._remove(name, stale) and self._create(name)
        except OSError:  # it belongs to another user
            return True

    def _remove(self, name: str, stale: Sighting) -> bool:
        """Remove a stale lease, and return whether this driver did. Raise OSError if none can.

        Of two drivers that try, one renames the file. If a third one has replaced it meanwhile, the
        new lease is put back.
        """
        path = self._path(name)
        aside = secrets.token_hex(8)
        try:
            os.rename(path, self._path(aside))
        except FileNotFoundError:
            return False
        is_stale = False
        with suppress(OSError):
            sighting = self._look(aside)
            is_stale = sighting is not None and sighting.content == stale.content
            if not is_stale:
                os.link(self._path(aside), path)
        with suppress(OSError):
            os.unlink(self._path(aside))
        return is_stale


def _without_waiting(path: str, flags: int) -> int:
    """Open a file at once, even if somebody has put a named pipe there."""
    return os.open(path, flags | os.O_NONBLOCK)


def _holder() -> dict[str, Any]:
    """Return what a lease says of this process. Two drivers in one process differ by their id."""
    status = status_of(os.getpid())
    return {
        "host": platform.node(),
        "machine": this_machine(),
        "pid": os.getpid(),
        "started": status.started if status else 0,
        "id": secrets.token_hex(8),
    }


def _parsed(content: bytes) -> dict[str, Any]:
    """Return what a lease says of its holder. It says nothing while it is being written."""
    try:
        holder = json.loads(content)
        numbers = {name: int(holder[name]) for name in ("pid", "started")}
        return {"host": str(holder["host"]), "machine": holder["machine"], **numbers}
    except (ValueError, KeyError, TypeError):
        return {}


def _has_ended(holder: dict[str, Any]) -> bool:
    return holder.get("machine") == this_machine() and not lives(holder["pid"], holder["started"])
