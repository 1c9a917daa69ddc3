"""Figures of results are cut into groups of panels, each with its part of the caption."""

import numpy as np
import pytest
from PIL import Image
from studies.pages import ROOT, panel_pictures, read_json
from studies.pictures import boxes, by_letter, cut

from hsr.plots import new_figure, panel, save_figure

COLOURS = ((200, 0, 0), (0, 200, 0), (0, 0, 200))


@pytest.fixture
def figure():
    """Three panels in a row, filled with a colour each; the second belongs to the first."""
    made = new_figure(6.0, 2.0)
    for ax, letter, colour in zip(
        made.subplots(1, 3, gridspec_kw={"wspace": 0.5}), ("a", "", "b"), COLOURS, strict=True
    ):
        panel(ax, letter, "title").set_facecolor(np.array(colour) / 255)
    return made


def test_a_group_shows_its_own_panels_only(figure, tmp_path):
    groups = boxes(figure)
    assert list(groups) == ["a", "b"]
    paths = cut(save_figure(figure, tmp_path / "all.png"), groups)
    assert [path.name for path in paths] == ["all-a.png", "all-b.png"]
    shown = [
        {colour for _, colour in Image.open(path).convert("RGB").getcolors(1 << 20)} & set(COLOURS)
        for path in paths
    ]
    assert shown == [set(COLOURS[:2]), set(COLOURS[2:])]


def test_blank_edges_of_a_group_are_cut_off(figure, tmp_path):
    tight = boxes(figure)["b"]
    loose = [tight[0], 0.0, 1.0, 1.0]
    saved = save_figure(figure, tmp_path / "all.png")
    first, second = (Image.open(cut(saved, {"b": box})[0]).tobytes() for box in (tight, loose))
    assert first == second


def test_a_figure_with_one_legend_for_all_stays_whole(figure):
    figure.axes[0].plot([0], [0], label="agent")
    figure.legend()
    assert boxes(figure) == {}


def test_captions_are_taken_apart_by_letters_unless_a_sentence_needs_them():
    found = by_letter("All worlds. **a** A maze. **b**, **c** Two\n maps.", ["a", "b", "c", "S1a"])
    assert found == ("All worlds.", {"a": "A maze.", "b": "Two maps.", "c": "Two maps."}, "")
    listed = by_letter("**a** Two parts of maps, **b** three vectors, and more.", ["a", "b"])
    assert listed[1] == {"a": "Two parts of maps.", "b": "Three vectors, and more."}
    shared = by_letter("**a** A maze. **b** Steps. **c** Errors.", ["a", "b"])
    assert shared == ("", {"a": "A maze.", "b": "Steps. **c** Errors."}, "")
    whole = "The loop (**a** to **b**) and more."
    assert by_letter(whole, ["a", "b"]) == ("", {}, whole)


def test_every_group_of_a_page_has_its_picture():
    listed = panel_pictures(read_json(ROOT / "docs/results/panels.json"))
    assert len(listed) > 50
    found = (ROOT / "docs/results").glob("*-*.png")
    assert {path.relative_to(ROOT).as_posix() for path in found} <= set(listed)
    assert [name for name in listed if not (ROOT / name).exists()] == []
