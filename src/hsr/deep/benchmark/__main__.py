"""`python -m hsr.deep.benchmark`."""

import argparse
from pathlib import Path

import jax

from hsr.deep.benchmark.collected import collect, table
from hsr.deep.benchmark.folder import SMALL, Folder, Plan
from hsr.deep.benchmark.methods import METHODS
from hsr.deep.benchmark.runs import run


def main() -> int:
    """Run what is not finished, and print or collect what is."""
    parser = argparse.ArgumentParser(prog="python -m hsr.deep.benchmark", description=__doc__)
    parser.add_argument("--small", action="store_true", help="four mazes, one condition")
    parser.add_argument("--folder", type=Path, help="where finished pieces are kept")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop before these")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="all by default")
    parser.add_argument("--collect", type=Path, metavar="FILE", help="add pieces to a JSON file")
    asked = parser.parse_args()
    names = [one.name for one in METHODS]
    if set(asked.methods or []) - set(names):
        parser.error(f"the methods are {', '.join(names)}")
    # Reduced precision of products would be seen as an error of maps.
    jax.config.update("jax_default_matmul_precision", "highest")
    plan = SMALL if asked.small else Plan()
    path = asked.folder or Path("out/known-answers" + "-small" * asked.small)
    folder = Folder(path, plan)
    chosen = [one for one in METHODS if one.name in (asked.methods or names)]
    left = run(folder, chosen, seconds=asked.seconds)
    if asked.collect:
        print(f"{asked.collect} has {collect([path], asked.collect)} entries")  # noqa: T201
    print(table(folder.all_finished(chosen)))  # noqa: T201
    if left:
        print(f"{left} pieces are left; give the same command again")  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
