"""The toolkit documents each of its names."""

import hsr.toolkit


def test_every_name_of_the_toolkit_is_there_and_explained():
    for name in hsr.toolkit.__all__:
        assert getattr(hsr.toolkit, name) is not None
        assert f"`{name}`" in hsr.toolkit.__doc__, name
