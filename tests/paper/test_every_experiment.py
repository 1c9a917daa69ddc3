"""What holds for every experiment: its settings, its runs, its evidence and its figure."""

import json
from collections import Counter
from importlib import import_module

import numpy as np
import pytest

from hsr.experiments import catalogue
from hsr.experiments.store import canonical
from hsr.plots import save_figure
from tests.paper.experiment_runs import (
    draw,
    evidence,
    letters_in,
    letters_of,
    numbers,
    preset,
    records,
    tiny,
)

NAMES = catalogue.names()
each = pytest.mark.parametrize("name", NAMES)


@each
def test_an_experiment_is_one_object_that_a_worker_finds(name):
    experiment = catalogue.find(name)
    package, attribute = experiment.path.split(":")
    found = import_module(package)
    assert getattr(found, attribute) is experiment
    assert experiment.name == name
    assert f"(Figure{'s' if ',' in experiment.figure else ''} " in found.__doc__
    assert experiment.figure.split(", ")[0] in found.__doc__


@each
@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_presets_and_conditions_come_back_from_their_text(name, which):
    setting = preset(name, which)
    for one in (setting, *catalogue.find(name).conditions(setting).values()):
        assert type(one).from_data(json.loads(json.dumps(one.data()))) == one


@each
def test_both_presets_have_runs_and_none_is_listed_twice(name):
    experiment, n_runs = catalogue.find(name), {}
    for which, setting in experiment.presets.items():
        for one in experiment.with_controls(setting).values():
            runs = experiment.runs(one)
            assert len({canonical(of_run) for of_run, _ in runs}) == len(runs)
        n_runs[which] = sum(len(seeds) for _, seeds in experiment.runs(setting))
    assert list(n_runs) == ["smoke", "paper"]
    assert 0 < n_runs["smoke"] <= n_runs["paper"]


def check_axes(name):
    """Assert that every array of every run has names for its axes, and values along them."""
    axes = catalogue.find(name).axes
    for record in records(name).values():
        along = axes.coordinates(record.setting, record.arrays)
        for array, values in record.arrays.items():
            assert len(axes.names[array]) == values.ndim
            for axis, size in zip(axes.names[array], values.shape, strict=True):
                assert axis not in along or len(along[axis]) >= size


@each
def test_a_tiny_run_has_named_axes_and_evidence_for_every_claim_also_under_each_control(name):
    check_axes(name)
    experiment = catalogue.find(name)
    assert list(numbers(name)) == ["", *experiment.controls]
    expected = Counter(one.claim for one in evidence(name, numbers(name)[""]) if one.decides)
    assert set(expected) == {one.id for one in experiment.claims}
    for of_control in numbers(name).values():
        found = [one for one in evidence(name, of_control) if one.decides]
        assert Counter(one.claim for one in found) == expected
        assert {one.predicted for one in found} <= {0, 1}
        for one in (one.comparison for one in found if one.comparison is not None):
            assert one.n == (tiny(name).worlds,)  # those that choose step sizes are others
            assert np.isfinite([one.difference, one.p]).all()
            assert 0.0 <= one.p <= 1.0
            # Where no seed differs from another, a difference has an infinite effect.
            low, high = one.difference_interval
            assert np.isfinite([one.effect, *one.effect_interval]).all() or not low < high


def test_claims_have_different_ids():
    ids = [claim.id for claim in catalogue.claims()]
    assert len(set(ids)) == len(ids)


def test_a_figure_drawn_twice_is_the_same_bytes(tmp_path):
    drawn = (draw("spectra"), draw.__wrapped__("spectra"))
    one, other = (
        save_figure(figure, tmp_path / f"{k}.png", dpi=40).read_bytes()
        for k, figure in enumerate(drawn)
    )
    assert one == other
    assert one.startswith(b"\x89PNG")
    assert len(one) > 5000


@each
def test_the_caption_explains_each_letter_that_is_drawn(name):
    letters, caption = letters_of(draw(name)), catalogue.find(name).caption
    explained, alone = letters_in(caption)
    assert sorted(letters) == explained
    assert len(set(alone)) == len(alone)
    if name in ("predictive_maps", "basis_mechanisms", "spectra") or name.startswith("explor"):
        assert explained == alone  # each by itself, in order
