"""The page draws the random numbers of NumPy, bit for bit."""

import numpy as np
import pytest

from tests.lab.node.page_code import computed

SEEDS = (0, 1, 12345, 2**32, 2**32 + 7, 2**53 - 1, 2**63 - 1, 10**29, [3, 1], [2**40, 7, 0, 5, 9])
RANGES = (1, 2, 3, 12, 3_000_000_000, 2**32 - 1, 2**32)
SMALL_RANGES = (1, 2, 7, 12, 255)
SOURCE = """
import { Random, seedWords } from "./random";
export default (given) => given.seeds.map((texts) => {
  const seed = texts.map(BigInt);
  const rng = new Random(...seed);
  const uniform = Array.from({ length: 200 }, () => rng.random());
  const integers = given.ranges.map((n) => Array.from({ length: 41 }, () => rng.below(n)));
  const between = rng.random(); // half of what an integer has drawn is kept meanwhile
  const small = given.small.map((n) => [...rng.bytesBelow(n, 101)]);
  return {
    words: [...seedWords(seed, 11)], uniform, integers, between, small,
    order: [...rng.permutation(300)], last: rng.below(9),
    ofNumber: new Random(...seed.map(Number)).random(),
  };
});
"""


@pytest.fixture(scope="module")
def drawn():
    """Return what the page draws for each seed."""
    seeds = [[str(one) for one in np.atleast_1d(np.array(seed, dtype=object))] for seed in SEEDS]
    given = {"seeds": seeds, "ranges": RANGES, "small": SMALL_RANGES}
    return dict(zip(map(str, SEEDS), computed(SOURCE, given), strict=True))


@pytest.mark.parametrize("seed", SEEDS, ids=str)
def test_numbers_are_those_of_numpy_in_any_mixture(drawn, seed):
    page, rng = drawn[str(seed)], np.random.default_rng(seed)
    assert page["words"] == np.random.SeedSequence(seed).generate_state(11).tolist()
    assert page["uniform"] == rng.random(200).tolist()
    for n, integers in zip(RANGES, page["integers"], strict=True):
        assert integers == [rng.integers(n) for _ in range(41)]
    assert page["between"] == rng.random()
    for n, integers in zip(SMALL_RANGES, page["small"], strict=True):
        assert integers == rng.integers(n, size=101, dtype=np.uint8).tolist()
    assert page["order"] == rng.permutation(300).tolist()
    assert page["last"] == rng.integers(9)


def test_a_seed_may_be_a_plain_number(drawn):
    for seed in SEEDS[:6]:
        assert drawn[str(seed)]["ofNumber"] == np.random.default_rng(seed).random()
