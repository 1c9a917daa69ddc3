"""Save and load maps, options, bases, MDPs, tasks, agents and runs, with the MDP's fingerprint.

A file is a zip of NumPy arrays. It returns the same bytes, and is never unpickled. For NetCDF,
write ``thing.to_xarray()`` with xarray.

**Reading a file without hsr.** The arrays have the names of the attributes of the object, and the
header is JSON:

>>> import json, os, tempfile
>>> import numpy as np
>>> import hsr
>>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
>>> path = os.path.join(tempfile.mkdtemp(), "options.npz")
>>> hsr.save(hsr.eigenoptions(mdp, n_options=2), path)
>>> with np.load(path) as file:
...     policy, header = file["policy"], json.loads(file["header"].item())
>>> policy.shape, header["object"]["class"], header["object"]["fields"]["names"]
((2, 104), 'OptionSet', ['v1', 'v2'])

**Which MDP?** Maps, option sets, bases, reward tasks and runs have the fingerprint of their MDP.
``load(path, mdp=mdp)`` refuses an object that was made for another MDP.
"""

from hsr.files.saving import load, save

__all__ = ["load", "save"]
