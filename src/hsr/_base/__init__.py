"""Errors, argument checks, lazy matrices, compilation and seeds, without reinforcement learning.

Code that extends the library finds the most useful ones in `hsr.toolkit`.

Every module of hsr imports from here. So files of the other package called `hsr` (hypershape
recognition, a library for chemistry) are noticed here if both were installed into one folder.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.dirname(__file__))
_CURE = (
    "Hypershape recognition, a library for chemistry, is installed as hsr and has the same module. "
    "Run: pip uninstall hsr hsr-rl, then install hsr-rl again"
)
if not hasattr(sys.modules["hsr"], "__distribution__"):  # the other one's file, or none
    raise ImportError(f"the package hsr in {_FOLDER} is not the one of hsr-rl. {_CURE}")
if os.path.exists(os.path.join(_FOLDER, "hsr_cli.py")):
    import warnings

    warnings.warn(f"files of two packages are mixed in {_FOLDER}. {_CURE}", stacklevel=2)
