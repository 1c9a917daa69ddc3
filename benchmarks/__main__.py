"""Run benchmarks and print their ratios: `python -m benchmarks [NAME ...] [--quick] [--json]`.

Exits with 1 if a ratio is below its target.
"""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> int:
    """Run the benchmarks one after another and print one line for each comparison."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="small problems; ratios mean little")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(known):
        parser.error(f"there is no benchmark {', '.join(unknown)}")
    rows = []
    for name in chosen.names or known:
        print(name, file=sys.stderr, flush=True)
        for row in import_module(f"benchmarks.{name}").run(quick=chosen.quick):
            met = row["target"] is None or bool(row["ratio"] >= row["target"])
            rows.append({**row, "met": met})
            if not chosen.json:
                print(line(rows[-1]), flush=True)
    if chosen.json:
        print(json.dumps(rows, default=float))
    return 0 if all(row["met"] for row in rows) else 1


def line(row: dict[str, Any]) -> str:
    """Return one comparison: the verdict, both times in seconds, ratio, target, error and note."""
    target = "" if row["target"] is None else f" (target {row['target']:g}x)"
    error = "" if row["error"] is None else f", error {row['error']:.0e}"
    times = f"{row['ours_s']:.3g} s, peer {row['peer_s']:.3g} s: {row['ratio']:.3g}x"
    note = f"; {row['note']}" if row["note"] else ""
    return f"  {'pass' if row['met'] else 'MISS'}  {row['name']}: {times}{target}{error}{note}"


if __name__ == "__main__":
    sys.exit(main())
