"""The toolkit: every name it lists is there, and importing it loads nothing heavy."""

import pytest

import hsr.toolkit
from tests._base.test_import_cost import modules_after


def test_every_name_is_there_and_in_the_docstring():
    for name in hsr.toolkit.__all__:
        assert getattr(hsr.toolkit, name) is not None
        assert f"`{name}`" in hsr.toolkit.__doc__, name
    assert dir(hsr.toolkit) == sorted(hsr.toolkit.__all__)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match=r"'hsr\.toolkit' has no attribute 'nothing'"):
        _ = hsr.toolkit.nothing


@pytest.mark.parametrize("heavy", ["numpy", "scipy", "numba"])
def test_importing_a_light_name_leaves_out(heavy):
    assert heavy not in modules_after("from hsr.toolkit import escape_control, write_whole")
