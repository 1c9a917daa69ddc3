"""Import `hsr.deep` for the reference where JAX is not installed, as in the docs' environment.

What JAX, Optax and Equinox would bring is replaced by stand-ins. They have no behaviour, and can
stand in annotations.
"""

import sys
from importlib.util import find_spec
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.autodoc.mock import MockFinder, _MockObject

missing = [package for package in ("jax", "optax", "equinox") if find_spec(package) is None]
if missing:
    _MockObject.__or__ = _MockObject.__ror__ = lambda self, other: self
    sys.meta_path.insert(0, MockFinder(missing))


def setup(app: Sphinx) -> dict[str, Any]:
    """Say that the extension can be used by parallel builds."""
    return {"parallel_read_safe": True}
