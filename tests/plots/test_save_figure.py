"""Figures are saved under any kind of path, with text that can be edited."""

from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from hsr.plots import new_figure, save_figure
from tests.cases import raises


@pytest.fixture
def figure():
    made = new_figure(2.0, 2.0)
    made.text(0.5, 0.5, "discount")
    return made


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_name_writes_the_same_bytes_as_a_path(figure, tmp_path, ending):
    named = save_figure(figure, str(tmp_path / "folder" / f"named.{ending}"))
    path = save_figure(figure, tmp_path / f"path.{ending}")
    assert named == tmp_path / "folder" / f"named.{ending}"
    assert named.read_bytes() == path.read_bytes()


def test_text_of_vector_files_can_be_edited(figure, tmp_path):
    before = dict(mpl.rcParams)
    pdf = save_figure(figure, tmp_path / "figure.pdf").read_bytes()
    svg = ElementTree.parse(save_figure(figure, tmp_path / "figure.svg"))
    assert b"/CIDFontType2" in pdf  # what the PDF format calls an embedded TrueType font
    assert b"/Type3" not in pdf
    assert [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")] == ["discount"]
    assert dict(mpl.rcParams) == before


def test_other_formats_are_refused(figure, tmp_path):
    with raises("must end in .png, .svg or .pdf"):
        save_figure(figure, tmp_path / "figure.jpg")
