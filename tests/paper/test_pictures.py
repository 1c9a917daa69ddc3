"""Pictures of a report: drawn once, in any process, and again only if something has changed."""

from dataclasses import dataclass, replace

import pytest
from matplotlib.figure import Figure

from hsr.paper import pictures
from hsr.plots import new_figure


@dataclass(frozen=True)
class Shown:
    figure: Figure
    drawn_from: str


def shown(height, drawn_from="numbers"):
    figure = new_figure(1.0, 1.0)
    figure.subplots().plot([0.0, height], label="a line")
    return Shown(figure, drawn_from)


@pytest.fixture
def written(tmp_path):
    """Return which figures are drawn when some are written into one folder."""

    def write(**figures):
        names = []
        n_drawn = pictures.draw_pictures(
            figures, tmp_path, dpi=30, on_picture=lambda number, total, name: names.append(name)
        )
        assert n_drawn == len(names)
        return names

    return write


def test_only_figures_whose_numbers_changed_are_drawn_again(written):
    one, other = shown(1.0), shown(2.0)
    assert written(one=one, other=other) == ["one", "other"]
    assert written(one=one, other=other) == []
    assert written(one=one, other=replace(other, drawn_from="new numbers")) == ["other"]


@pytest.mark.parametrize("harm", [lambda path: path.unlink(), lambda path: path.write_bytes(b"")])
def test_a_missing_or_changed_file_is_drawn_again(written, tmp_path, harm):
    written(one=shown(1.0))
    picture = tmp_path / "one.png"
    whole = picture.read_bytes()
    harm(picture)
    assert written(one=shown(1.0)) == ["one"]
    assert picture.read_bytes() == whole


def test_figures_of_unknown_origin_are_always_drawn(written):
    assert [written(one=shown(1.0, drawn_from="")) for _ in range(2)] == [["one"], ["one"]]


def test_an_unreadable_list_of_digests_counts_as_empty(written, tmp_path):
    written(one=shown(1.0))
    (tmp_path / pictures.DIGESTS).write_text("[")
    assert written(one=shown(1.0)) == ["one"]


def test_a_figure_that_cannot_be_sent_to_a_process_is_drawn_here(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "_FIGURES_PER_PROCESS", 1)
    monkeypatch.setattr(pictures.os, "sched_getaffinity", lambda _: {0, 1})
    here = {name: shown(1.0) for name in ("one", "two")}
    here["one"].figure.cannot_be_sent = lambda: None
    assert pictures.draw_pictures(here, tmp_path, dpi=30) == 2
    for ending in pictures.ENDINGS:
        one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
        assert one == two
