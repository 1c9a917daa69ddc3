"""Recordings of animals and people, fetched from the repositories of their authors.

- `labyrinth`: 19 mice in a labyrinth, as paths.
- `tartarus`: 9 rats and 18 people in 25 mazes whose barriers move, as paths.
- `garvert2017`: fMRI adaptation of 23 people on a graph.
- `wmaze`: positions and units of a rat.

Files are fetched once with Pooch, at a pinned commit, and checked by their SHA-256. They are kept
in Pooch's cache, or in the folder that ``HSR_DATA_DIR`` names. None of them is a part of this
project: print a data set for its citation and licence. Pooch comes with the extra
``data``: ``pip install '.[data]'``.
"""

from hsr.datasets.dataset import Dataset
from hsr.datasets.recordings import garvert2017, wmaze
from hsr.datasets.walks import labyrinth, tartarus

__all__ = ["Dataset", "garvert2017", "labyrinth", "tartarus", "wmaze"]
