"""Non-negative factorisation on a GPU, against that of the CPU."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
from hsr._base.lazy import LazyMatrix
from hsr.basis.start import nndsvda_start
from tests.cases import needs_gpu, raises, too_little_gpu_memory

CLOSE = {"rtol": 0.0, "atol": 1e-10}


@pytest.fixture(scope="module")
def some_map():
    """Return a map of 511 states, enough for Lanczos iterations, with distinct singular values."""
    mdp = hsr.grid_mdp(hsr.random_maze(33, seed=2), discount=0.9)
    return hsr.expected_sr(mdp).toarray()


@needs_gpu
@pytest.mark.parametrize("n_components", [6, 16])  # with and without rows of zeros at the end
@pytest.mark.parametrize("init", ["random", "nndsvda"])
@pytest.mark.parametrize("solver", ["hals", "extrapolated", "multiplicative"])
def test_a_factorisation_is_that_of_the_cpu(some_map, solver, init, n_components):
    basis = hsr.NMFBasis(n_components, solver=solver, init=init, max_iter=40)
    on_cpu, on_gpu = (
        hsr.NMFBasis(**basis.get_params()).fit(some_map, device=device)
        for device in ("cpu", "cuda")
    )
    assert isinstance(on_gpu.features_, np.ndarray)
    assert on_gpu.n_iter_ == on_cpu.n_iter_
    assert on_gpu.converged_ == on_cpu.converged_
    for name in ("features_", "components_", "objective_", "reconstruction_err_"):
        size = np.abs(getattr(on_cpu, name)).max()
        assert_allclose(getattr(on_gpu, name) / size, getattr(on_cpu, name) / size, **CLOSE)


@needs_gpu
@pytest.mark.parametrize("solver", ["hals", "extrapolated", "multiplicative"])
def test_a_start_is_not_changed_and_few_non_zeros_make_no_difference(solver):
    rng = np.random.default_rng(3)
    X = rng.random((30, 40)) * (rng.random((30, 40)) < 0.1)
    W, H = rng.random((30, 5)), rng.random((5, 40))
    kept = W.copy(), H.copy()
    on_cpu, on_gpu = (
        hsr.NMFBasis(5, solver=solver, max_iter=20).fit(X, W=W, H=H, device=device)
        for device in ("cpu", "cuda")
    )
    assert_allclose(on_gpu.features_, on_cpu.features_, **CLOSE)
    assert_allclose(on_gpu.components_, on_cpu.components_, **CLOSE)
    assert np.array_equal(W, kept[0])
    assert np.array_equal(H, kept[1])


@needs_gpu
def test_a_solver_that_only_rounding_moves_ends_with_the_error_of_the_cpu(some_map):
    """With one component, steps are soon kept or discarded by the last bits of the error."""
    on_cpu, on_gpu = (
        hsr.NMFBasis(1, solver="extrapolated", max_iter=40).fit(some_map, device=device)
        for device in ("cpu", "cuda")
    )
    assert_allclose(on_gpu.objective_, on_cpu.objective_, rtol=1e-10)


@needs_gpu
def test_a_map_that_the_memory_of_the_gpu_cannot_hold_is_refused():
    words = r"the factorisation of a map of shape \(50, 50\) does not fit"
    with too_little_gpu_memory(), pytest.raises(hsr.TooLargeError, match=words):
        hsr.NMFBasis(2).fit(np.ones((50, 50)), device="cuda")


def test_a_start_takes_its_products_from_elsewhere(some_map):
    asked = []

    def product(A):
        return lambda block: asked.append(block.shape) or A @ block

    lazy = LazyMatrix(some_map.shape, product(some_map), product(some_map.T))
    expected = nndsvda_start(some_map, 4, np.random.default_rng(0))
    found = nndsvda_start(some_map, 4, np.random.default_rng(0), products_of=lazy)
    assert asked
    for ours, theirs in zip(found, expected, strict=True):
        assert_allclose(ours, theirs, **CLOSE)


def test_the_device_is_checked():
    with raises("device is 'gpu'; it must be one of 'cpu', 'cuda'"):
        hsr.NMFBasis(2).fit(np.eye(3), device="gpu")
