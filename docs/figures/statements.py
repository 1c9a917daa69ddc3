"""Draw docs/results/*_statistics.png again from the ledger: `python docs/figures/statements.py`.

`make evidence` draws them too, together with the figures that need runs.
"""

from pathlib import Path

from hsr.experiments import catalogue
from hsr.experiments.ledger_file import read_ledger
from hsr.experiments.panels import draw_statements
from hsr.experiments.report import DOTS
from hsr.plots import save_figure

RESULTS = Path(__file__).parents[1] / "results"


def main() -> None:
    """Draw the statements of every figure of the paper."""
    ledger = read_ledger(RESULTS / "ledger.json")
    for name in catalogue.names():
        rows = [row for row in ledger if row["experiment"] == name]
        path = RESULTS / f"{name}_statistics.png"
        save_figure(draw_statements(rows), path, dpi=DOTS, palette=True)


if __name__ == "__main__":
    main()
