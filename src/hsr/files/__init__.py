"""Files: maps, options, bases and MDPs that outlive a process, with the mark of the world they
belong to.

**Which format?** ``.npz`` is quick and reads with NumPy alone. ``.nc`` has named dimensions and
reads with xarray, R, Julia or MATLAB. Both give back the same bytes. Neither is ever unpickled.
"""

from hsr.files.saving import load, save

__all__ = ["load", "save"]
