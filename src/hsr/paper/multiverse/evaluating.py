"""What a search asks for: experiments under readings, in bundles that share options."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hsr.paper import catalogue
from hsr.paper.multiverse.compared import Comparisons
from hsr.paper.multiverse.design import BLOCKS
from hsr.paper.multiverse.reading import Reading
from hsr.paper.multiverse.run import ReadingRun

READINGS_OF_A_BUNDLE = 400  # many enough to share maps, few enough to lose little on interruption
# With signs that are not random, as few as 167 worlds qualify.
FIRST_WORLD, FIRST_FRESH_WORLD = 0, 100


class Worlds(NamedTuple):
    """Consecutive worlds, and the number of seeds in each."""

    worlds: int
    seeds: int
    first: int = FIRST_WORLD

    @property
    def numbers(self) -> range:
        """The numbers of the worlds."""
        return range(self.first, self.first + self.worlds)


NOTHING_RANDOM = Worlds(1, 1)


class Evaluation(NamedTuple):
    """One experiment under a reading, restricted to what it is sensitive to, in some worlds."""

    experiment: str
    preset: str
    reading: Reading
    where: Worlds


Get = Callable[[Sequence[Evaluation]], Mapping[Evaluation, Comparisons]]


def evaluation_of(experiment: str, preset: str, reading: Reading, where: Worlds) -> Evaluation:
    """Return the evaluation of a reading; readings that differ elsewhere only share it."""
    of = catalogue.find(experiment)
    where = where if has_worlds(experiment, preset) else NOTHING_RANDOM
    return Evaluation(experiment, preset, reading.only(of.sensitive_to), where)


def has_worlds(experiment: str, preset: str) -> bool:
    """Return whether something in an experiment depends on the world."""
    return "worlds" in type(catalogue.find(experiment).presets[preset]).model_fields


def bundles(evaluations: Iterable[Evaluation]) -> Iterator[tuple[ReadingRun, list[Evaluation]]]:
    """Yield evaluations in bundles that share options, in the order of the first ones."""
    groups: dict[Evaluation, dict[Evaluation, None]] = {}
    for one in evaluations:
        shared = one._replace(reading=one.reading.only(BLOCKS["worlds"]))
        groups.setdefault(shared, {})[one] = None
    for (experiment, preset, _, where), found in groups.items():
        every = list(found)
        for begin in range(0, len(every), READINGS_OF_A_BUNDLE):
            some = every[begin : begin + READINGS_OF_A_BUNDLE]
            yield (
                ReadingRun(
                    experiment=experiment,
                    preset=preset,
                    readings=tuple(one.reading.name for one in some),
                    worlds=where.worlds,
                    first_world=where.first,
                    seeds=where.seeds,
                ),
                some,
            )
