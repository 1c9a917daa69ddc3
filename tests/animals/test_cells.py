"""Models compared with cells: likelihoods by hand, held-out blocks, shifts, and known truth."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

import hsr
from hsr.animals import compare_cells, join_cells
from hsr.animals.cells import comparison
from hsr.animals.cells.models import CELL_MODELS
from hsr.animals.intervals import over_animals
from hsr.animals.rates import count_spikes
from tests.animals.recordings import peaked, recording, spikes_of, walk
from tests.cases import raises

CENTRES = [5, 40, 77]


def block_of_frames():
    return np.arange(9000) * 5 // 9000


@pytest.fixture(scope="module")
def mdp():
    return recording(walk(9000))


@pytest.fixture(scope="module")
def spikes(mdp):
    """Three cells with columns of the SR, then three with Gaussian fields."""
    sr = hsr.successor_representation(mdp, mdp.behaviour()).columns(CENTRES)
    apart = mdp.centres[:, None] - mdp.centres[CENTRES]
    gaussian = np.exp(-(apart**2).sum(axis=2) / (2 * 2.0**2))
    return spikes_of(mdp, peaked(np.concatenate([sr, gaussian], axis=1)))


@pytest.fixture(scope="module")
def result(spikes, mdp):
    return compare_cells(spikes, mdp, ("sr", "gaussian"), shuffles=19)


def test_cells_are_recognised_as_what_they_are(result):
    assert result.scores.argmax(axis=0).tolist() == [0, 0, 0, 1, 1, 1]
    assert (result.scores > 0.3).all()
    np.testing.assert_array_equal(result.p_values, 1 / 20)
    peaks = {(fit["model"], fit["unit"]): fit["peak_state"] for fit in result.chosen}
    assert [peaks["sr", f"cell {c}"] for c in range(3)] == CENTRES
    discounts = [fit["discount"] for fit in result.chosen if fit["model"] == "sr"]
    assert np.median(discounts[:15]) == pytest.approx(0.9, abs=0.04)


@pytest.fixture(scope="module")
def one_field(mdp, spikes):
    """One field for all, so that only its height and the baseline are fitted."""
    field = np.exp(-((mdp.centres - mdp.centres[40]) ** 2).sum(axis=1) / 18)
    return field, compare_cells(spikes, mdp, {"mine": field[:, None]}, shuffles=0)


def counted(mdp, times, block):
    """Return the time and the spikes in each state, in and outside of a block."""
    inside = block == block_of_frames()
    n = np.bincount(np.rint(times / mdp.dt).astype(int), minlength=9000)
    sums = [
        np.bincount(mdp.frames[part], weights, minlength=mdp.n_states)
        for part in (inside, ~inside)
        for weights in (np.full(part.sum(), mdp.dt), n[part])
    ]
    return sums


def test_rates_have_the_largest_poisson_likelihood_on_the_training_blocks(mdp, spikes, one_field):
    field, result = one_field
    for fit in result.chosen[:6]:
        _, _, T, n = counted(mdp, spikes[fit["unit"]], fit["block"])

        def loss(free, T=T, n=n):
            mean, share = free
            rate = mean * (1 - share + share * field / (T @ field / T.sum()))
            return (T * rate - n * np.log(rate)).sum()

        # The baseline has at least half a spike.
        bounds = [(1e-3, None), (0, 1 - 0.5 / n.sum())]
        best = optimize.minimize(loss, [1.0, 0.5], bounds=bounds, tol=1e-13)
        mean, share = best.x
        fitted = (fit["baseline"] / (1 - fit["weight"]), fit["weight"])
        assert loss(fitted) <= best.fun + 1e-6
        np.testing.assert_allclose(fitted, best.x, rtol=1e-3)
        assert fit["peak_rate"] == pytest.approx(
            mean * (1 - share + share / (T @ field / T.sum())), rel=1e-3
        )


def test_bits_per_spike_are_poisson_likelihoods_over_the_mean_rate(mdp, spikes, one_field):
    field, result = one_field
    for c, (unit, times) in enumerate(spikes.items()):
        nats = 0.0
        for fit in result.chosen:
            if fit["unit"] == unit:
                T, n, before, n_before = counted(mdp, times, fit["block"])
                rate = fit["baseline"] + (fit["peak_rate"] - fit["baseline"]) * field
                mean = n_before.sum() / before.sum()
                nats += (
                    stats.poisson.logpmf(n, T * rate) - stats.poisson.logpmf(n, T * mean)
                ).sum()
        assert result.scores[0, c] == pytest.approx(nats / np.log(2) / times.size, abs=1e-5)


def test_a_held_out_block_has_no_influence_on_its_fit(mdp, spikes):
    models = ("sr", "geodesic")
    first = compare_cells(spikes, mdp, models, shuffles=0)
    rng = np.random.default_rng(1)
    changed = {
        unit: np.concatenate([times[times < 720.0], rng.uniform(720.0, 899.0, 500)])
        for unit, times in spikes.items()
    }
    second = compare_cells(changed, mdp, models, shuffles=0)

    def in_last_block(result):
        fits = [fit for fit in result.chosen if fit["block"] == 4]
        return [{name: fit[name] for name in fit if name != "bits"} for fit in fits]

    last = [in_last_block(result) for result in (first, second)]
    assert last[0] == last[1]
    assert first.chosen != second.chosen
    # Another way through the last block leaves its maps alone, too.
    elsewhere = recording(np.concatenate([walk(9000)[:7200], walk(3600, seed=5)[1800:]]))
    third = compare_cells(spikes, elsewhere, models, shuffles=0)
    assert in_last_block(third) == last[0]


def test_p_values_are_uniform_for_cells_that_ignore_the_animal(mdp):
    rng = np.random.default_rng(2)
    cells = [np.sort(rng.uniform(0, 899, 300)) for _ in range(80)]
    p = compare_cells(cells, mdp, "gaussian", shuffles=19).p_values[0]
    low, high = stats.binom.interval(0.999, 80, 0.2) / np.array(80)
    assert low <= (p <= 0.2).mean() <= high
    assert low <= (p > 0.8).mean() <= high


def test_shifts_are_circular_and_far_enough(mdp, spikes):
    trains = count_spikes(spikes, mdp)[1]
    shifts = comparison._shifts(9000, mdp.dt, 100, 30.0, 0)
    assert shifts[0] == 0
    assert len(set(shifts)) == 101
    assert shifts[1:].min() >= 300
    assert shifts.max() <= 8700
    key = block_of_frames() * mdp.n_states + mdp.frames
    counts = comparison.shifted_counts(trains, key, shifts[:3], (5, mdp.n_states))
    for i, shift in enumerate(shifts[:3]):
        for c in (0, 5):
            moved = np.roll(trains[[c]].toarray()[0], shift)
            oracle = np.bincount(key, moved, minlength=5 * mdp.n_states)
            np.testing.assert_array_equal(counts[i * 6 + c].ravel(), oracle)


def test_results_depend_on_the_seed_alone(mdp, spikes, result, monkeypatch):
    monkeypatch.setattr(comparison, "_MOST_BYTES", 20 * 5 * 104 * 4 * 2)  # two cells at a time
    again = compare_cells(spikes, mdp, ("sr", "gaussian"), shuffles=19, workers=3)
    np.testing.assert_array_equal(again.chance, result.chance)
    np.testing.assert_array_equal(again.scores, result.scores)
    other = compare_cells(spikes, mdp, ("gaussian",), shuffles=19, seed=1)
    assert (other.chance != result.chance[1:]).any()
    np.testing.assert_array_equal(other.scores, result.scores[1:])


def test_models_of_the_caller(mdp, spikes, result):
    def columns(given, policy):
        assert given is mdp
        return hsr.successor_representation(mdp, policy).columns(range(mdp.n_states))

    M = hsr.successor_representation(mdp, mdp.behaviour())
    own = {"function": columns, "map": M, "array": M.toarray(), "word": "sr"}
    found = compare_cells(spikes, mdp, own, shuffles=0, settings={"discount": [0.9]})
    assert found.models == tuple(own)
    np.testing.assert_allclose(found.scores[0], found.scores[3], rtol=1e-6)
    np.testing.assert_allclose(found.scores[1], found.scores[2], rtol=1e-12)


@pytest.fixture(scope="module")
def estimated(mdp):
    """Thirty cells with columns of the SR at three discounts, and what is estimated of them."""
    rng = np.random.default_rng(3)
    truth = [(s, d) for d in (0.8, 0.9, 0.95) for s in rng.choice(104, 10, replace=False)]
    mdps = {d: hsr.FiniteMDP.from_successors(mdp.successors, d) for d in (0.8, 0.9, 0.95)}
    fields = [
        hsr.successor_representation(mdps[d], mdp.behaviour()).columns(int(s)) for s, d in truth
    ]
    spikes = spikes_of(mdp, peaked(np.stack(fields, axis=1), 8.0))
    result = compare_cells(spikes, mdp, ("sr", "gaussian"), shuffles=0)
    return truth, result.estimates().set_index(["level", "model", "quantity", "unit"]).sort_index()


def test_discounts_and_centres_are_recovered_within_their_intervals(mdp, estimated):
    truth, table = estimated
    rows, cells = table.loc["cell", "sr"], [f"cell {c}" for c in range(30)]
    states, discounts = (np.array(column) for column in zip(*truth, strict=True))
    for quantity, true in {
        "discount": discounts,
        "centre_x": mdp.centres[states, 0],
        "centre_y": mdp.centres[states, 1],
    }.items():
        found = rows.loc[quantity].loc[cells]
        inside = (found["low"] <= true) & (true <= found["high"])
        assert inside.mean() >= 0.85, quantity  # 95 % of 30 cells, less two standard errors
        assert (found["low"] <= found["estimate"]).all()
        assert (found["estimate"] <= found["high"]).all()
    of_cells = rows.loc["discount"].loc[cells, "estimate"].to_numpy()
    short, long = (np.median(of_cells[discounts == d]) for d in (0.8, 0.95))
    assert short == pytest.approx(0.8, abs=0.03)
    assert long == pytest.approx(0.95, abs=0.015)


def test_the_generating_map_is_recovered_for_cells_and_for_the_population(estimated):
    truth, table = estimated
    found = table.loc["cell", "sr", "probability"]
    assert (found["estimate"] > 0.5).mean() > 0.9
    assert (found["low"] <= found["estimate"]).all()
    assert (found["estimate"] <= found["high"]).all()
    share = table.loc["population", "sr", "share of cells", "all"]
    assert share["estimate"] > 0.9
    best = round(share["estimate"] * 30)
    wilson = stats.binomtest(best, 30).proportion_ci(method="wilson")
    np.testing.assert_allclose([share["low"], share["high"]], wilson)
    mean = table.loc["population", "sr", "discount", "all"]
    horizons = 1.0 / (1.0 - np.array([discount for _, discount in truth]))
    expected = 1.0 - np.exp(-np.log(horizons).mean())
    assert mean["low"] <= expected <= mean["high"]


def doubled(result):
    return replace(result, scores=2 * result.scores)


def test_animals_are_the_unit_where_there_are_several(result):
    joined = join_cells({"A": result, "B": result, "C": result})
    assert len(joined.to_pandas()) == 36
    values, animals = np.array([1.0, 2.0, 3.0, 7.0, 5.0]), ["A", "A", "B", "C", "C"]
    means = np.array([1.5, 3.0, 6.0])
    expected = stats.t.interval(0.95, 2, means.mean(), stats.sem(means))
    np.testing.assert_allclose(over_animals(values, animals), [3.5, *expected])
    assert joined.differences()[0].unit == "animal"
    # Sessions of one animal do not make it two.
    keys = {("A", "day 1"): result, ("A", "day 2"): result, "B": result}
    nested = join_cells(keys)
    assert nested.units[0] == (("A", "day 1"), "cell 0")
    assert "of 2 animals" in str(nested)
    by_animal = result.scores[0].mean()
    assert nested.mean_scores()[0] == pytest.approx(by_animal)
    rescaled = join_cells({("A", 1): result, ("A", 2): doubled(result), "B": result})
    assert rescaled.mean_scores()[0] == pytest.approx((1.5 * by_animal + by_animal) / 2)
    with raises("at least two animals"):
        join_cells({("A", 1): result, ("A", 2): result})


def test_cells_without_spikes_are_named_and_have_no_score(mdp, spikes):
    with pytest.warns(hsr.HSRWarning, match="'quiet'"):
        found = compare_cells({"quiet": [], "loud": spikes["cell 0"]}, mdp, "gaussian", shuffles=3)
    assert np.isnan(found.scores[0, 0])
    assert np.isnan(found.p_values[0, 0])
    assert found.scores[0, 1] > 0
    assert "of 1 cells" in str(found)


def test_every_word_works(mdp, spikes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare_cells(
            {"one": spikes["cell 0"]},
            mdp,
            tuple(CELL_MODELS),
            blocks=2,
            shuffles=0,
            settings={"discount": [0.9], "n_options": [4], "n_parts": [8]},
        )
    assert np.isfinite(found.scores).all()
    assert found.models[found.scores[:, 0].argmax()] == "sr"
