"""Stores of made-up runs of experiments of the catalogue, whose numbers are known."""

import numpy as np

from hsr.paper import catalogue
from hsr.paper.store import Record, Store

SEEDS, TASKS, EPISODES = 2, 2, 3
SHAPE = (SEEDS, TASKS, EPISODES)


def steps_of(agent, world, epsilon=0.1):
    """Return steps (seed, task, episode) that no other agent and world have."""
    first = 1000 * int(10 * epsilon) + 200 * list(names("online_transfer")).index(agent)
    return first + 20 * world + np.arange(np.prod(SHAPE)).reshape(SHAPE)


def names(experiment, **changes):
    """Return the conditions of the small preset by name."""
    one = catalogue.find(experiment)
    return one.conditions(one.setting("smoke", changes))


def put_transfer(store, worlds=(0, 1), epsilon=0.1, steps=steps_of, agents=None):
    """Store runs of online_transfer with some epsilon."""
    for agent, condition in names("online_transfer", **{"agent.epsilon": epsilon}).items():
        if agents is not None and agent not in agents:
            continue
        for world in worlds:
            arrays = {"steps": steps(agent, world, epsilon).astype(np.uint16)}
            if condition.measure_maps:
                arrays["change"] = np.full(SEEDS, world + 0.5)
                if world == 0:
                    arrays["maps"] = np.zeros((TASKS, 2, 2))
            store.put(Record("online_transfer", condition.data(), world, arrays))
    return store


def transfer_store(folder):
    """Return a store of online_transfer at two values of epsilon, one of them not a preset's."""
    return put_transfer(put_transfer(Store(folder)), epsilon=0.3)
