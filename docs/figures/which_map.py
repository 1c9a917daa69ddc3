"""Draw a figure of each population of `studies/animals.py` from a store of its runs.

python docs/figures/which_map.py STORE
"""

import sys
from pathlib import Path

from studies.animals import models_of
from studies.animals_report import draw_population

from hsr.experiments import catalogue
from hsr.experiments.runner import analysed
from hsr.experiments.store import Store
from hsr.plots import save_figure

ROOT = Path(__file__).resolve().parents[2]
PICTURES = {"rats": "rats", "people": "people", "mice": "mice", "mice, hidden": "mice-hidden"}

if __name__ == "__main__":
    experiment = catalogue.find(str(ROOT / "studies/animals.py"))
    found = analysed(experiment, {"": experiment.presets["paper"]}, Store(sys.argv[1]))
    assert found is not None, "not all parts of studies/animals.py have been run"
    for name, picture in PICTURES.items():
        figure = draw_population(found[0][""], name, models_of(name, quick=False))
        save_figure(figure, ROOT / f"docs/which-map/{picture}.png", palette=True)
