"""Time a million states against a hundred thousand, each in its own process, and their memory.

The work is map, MDP, eight eigenoptions, model, plan to a goal, hierarchical map, ten rows, ten
columns and one product with a reward. The ratio column is the larger size's time over the smaller
one's, and must stay below 15; here the target is written as 15 over that, so that 1 is just enough.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import hsr
from benchmarks._timing import row
from hsr._base.threads import one_thread

MOST_GROWTH = 15.0
MOST_BYTES = 4 * 2**30


def run(quick: bool = False) -> list[dict]:
    """Return one row for the tree maze and one for the map of rooms."""
    small, large, repetitions = (1_000, 10_000, 1) if quick else (100_000, 1_000_000, 5)
    rows = []
    for kind in ("tree", "rooms"):
        before = [_in_own_process(kind, small) for _ in range(repetitions)]
        after = [_in_own_process(kind, large) for _ in range(repetitions)]
        ours = statistics.median(run["seconds"] for run in after)
        base = statistics.median(run["seconds"] for run in before)
        peak = max(run["peak_bytes"] for run in after)
        few, many = before[0]["states"], after[0]["states"]
        growth = f"{many:,} states in {ours:.1f} s, {ours / base:.1f}x the time of {few:,}"
        note = f"{growth}; peak {peak / 2**30:.2f} GiB"
        entry = row(
            f"{kind}, room to 15x growth",
            ours,
            MOST_GROWTH * base,
            target=None if quick else 1.0,
            note=note,
        )
        if peak > MOST_BYTES:
            entry["target"], entry["note"] = float("inf"), f"more than 4 GiB: {note}"
        rows.append(entry)
    return rows


def work(kind: str, states: int) -> dict:
    """Do all of it once and return the states, the seconds and the peak memory of this process."""
    begin = time.perf_counter()
    layout = tree(states) if kind == "tree" else rooms(states)
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    task = hsr.GoalTask(start=0, goal=mdp.n_states - 1)
    model = hsr.option_model(mdp, options, task=task)
    M = hsr.hierarchical_sr(model, hsr.plan_over_options(model, task))
    chosen = np.linspace(0, mdp.n_states - 1, 10).astype(int)
    M.rows(chosen)
    M.columns(chosen)
    M @ np.ones(mdp.n_states)
    seconds = time.perf_counter() - begin
    return {"states": mdp.n_states, "seconds": seconds, "peak_bytes": peak_bytes()}


def peak_bytes() -> int:
    """Return the most memory this process has held; `getrusage` would add what its parent held
    before it.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def tree(states: int) -> hsr.GridLayout:
    """Return a backtracking maze of about that many states; r x r rooms have 2 r^2 - 1."""
    return hsr.random_maze(2 * round((states / 2) ** 0.5) + 1, seed=0)


def rooms(states: int) -> hsr.GridLayout:
    """Return a square grid of 19 x 19 rooms of about that many states."""
    return hsr.room_grid(max(2, round((states / 363) ** 0.5)), 19)


def _in_own_process(kind: str, states: int) -> dict:
    command = [sys.executable, "-m", "benchmarks.million_states", kind, str(states)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    work(sys.argv[1], 2_000)  # loads the compiled kernels, so that the timing has none of it
    with one_thread():
        print(json.dumps(work(sys.argv[1], int(sys.argv[2]))))
