"""Devices: what is said where there is no GPU, no CuPy, or too little memory."""

import pytest

import hsr
from hsr._base import extras
from hsr._base.devices import check_device, gpu_memory
from tests.cases import raises


def test_only_known_devices_are_taken():
    assert check_device("cpu", "this") == "cpu"
    with raises("device is 'tpu'; it must be one of 'cpu', 'cuda'"):
        check_device("tpu", "this")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(extras, "_is_here", lambda module: module != "cupy")
    words = r"expected_sr with device='cuda' needs cupy-cuda12x; .*pip install '\.\[cuda\]'"
    with pytest.raises(hsr.InputError, match=words) as caught:
        check_device("cuda", "expected_sr")
    assert isinstance(caught.value, ImportError)


def test_a_machine_without_a_gpu_is_told_so(a_gpu):
    assert check_device("cuda", "this") == "cuda"

    def fail():
        raise RuntimeError("cudaErrorNoDevice:\nno CUDA-capable device is detected")

    a_gpu.cuda.runtime.getDeviceCount = fail
    words = r"no NVIDIA GPU can be used \(cudaErrorNoDevice: no CUDA-capable device is detected\)"
    with raises(words + "; leave device out to compute on the CPU"):
        check_device("cuda", "this")
    a_gpu.cuda.runtime.getDeviceCount = lambda: 0
    with raises(r"no NVIDIA GPU can be used \(CUDA finds none\)"):
        check_device("cuda", "this")


def test_too_little_memory_is_an_error_with_the_bytes_and_memory_is_given_back(a_gpu):
    given_back = []
    pool = type("Pool", (), {"free_all_blocks": lambda self: given_back.append(True)})()
    a_gpu.get_default_memory_pool = lambda: pool
    words = "the map does not fit .* 1,000,000,000 of 2,000,000,000 bytes are free; leave device"
    with pytest.raises(hsr.TooLargeError, match=words), gpu_memory("the map"):
        raise a_gpu.cuda.memory.OutOfMemoryError
    assert given_back == [True]
