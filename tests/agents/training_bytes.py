"""A training run as bytes, to compare runs to the last bit."""

import dataclasses

import numpy as np


def bytes_of(run, seeds=None):
    """Return every result of a run as bytes by name, for all seeds or those given."""
    places = [run.seeds.index(seed) for seed in (run.seeds if seeds is None else seeds)]
    parts = {}
    for field in dataclasses.fields(run):
        value = getattr(run, field.name)
        if isinstance(value, np.ndarray):
            parts[field.name] = value[places].tobytes()
    if run.trajectory is not None:
        parts |= {
            f"trajectory.{f.name}": getattr(run.trajectory, f.name).tobytes()
            for f in dataclasses.fields(run.trajectory)
        }
    for i in places if run.options_at else []:
        parts[f"steps of options of {run.seeds[i]}"] = repr(list(run.options_at[i])).encode()
        for step, options in run.options_at[i].items():
            arrays = (options.policy, options.termination, options.initiation)
            name = f"options of {run.seeds[i]} after {step} steps"
            parts[name] = b"".join(array.tobytes() for array in arrays)
    return parts
