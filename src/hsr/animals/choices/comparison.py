"""`compare_choices`: predict the choices of an animal by cross-validated models."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice, check_count, check_discount
from hsr.adapters.positions.path import warn_of_flicker
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.choices.fitting import cross_validated, of_uniform
from hsr.animals.choices.models import MODELS, READOUTS, Grids, read_models, spread_places
from hsr.animals.choices.recorded import (
    Choices,
    choices_of,
    cut_paths,
    neighbours_of,
    number_paths,
    read_heading,
    read_states,
    without_stays,
)
from hsr.animals.choices.result import ChoiceComparison, interval_of, resampled
from hsr.mdp.finite import FiniteMDP, check_mdp

MOST_PLACES = 64  # destinations, if none are named
DEFAULT_MODELS = tuple(name for name in MODELS if name not in ("markov3", "markov4"))


def compare_choices(
    mdp: FiniteMDP,
    paths: Any = None,
    *,
    models: Any = DEFAULT_MODELS,
    destinations: Any = None,
    heading: Any = None,
    readouts: Sequence[str] = ("linear", "log"),
    blocks: int = 5,
    piece: int | None = None,
    min_moves: int = 2,
    discounts: Sequence[float] = (0.8, 0.9, 0.95, 0.98, 0.99),
    n_options: Sequence[int] = (4, 8, 16),
    samples: int = 2000,
    seed: Seed = 0,
) -> ChoiceComparison:
    """Return how well models predict the moves of one animal in held-out paths.

    At each move from s the animal chose one of the neighbours of s. A model gives neighbour n the
    value u(n), and the move has the probability

        p(n | s) = exp(b u(n) + c f(n)) / sum_m exp(b u(m) + c f(m)),

    with f(n) = 0 for the place from which the animal came and 1 for all others. The inverse
    temperature b and the forward bias c are fitted. Every model has the bias, so no model gains by
    predicting only that animals tend to run forward.

    **Does a map add anything?** "markov1" to "markov4" use the frequency of each move given the
    last states. The sum "markov2+sr" adds a log p(n | the last two places) to the exponent, with a
    fitted weight a. Its difference from "markov2" is what the map adds to the statistics of the
    animal's own moves.

    **What is the value of a place?** For a map, the value of place n for destination g is
    u(n) = M[n, g] / M[g, g]. For an SR this is the discounted probability of ever reaching g. The
    optimal value is the discount to the power of the distance, and geodesic is minus the distance
    itself. The read-out "log" uses the logarithm of u. For the SR of the random walk and b = 1, the
    model is then the random walk conditioned on reaching g.

    **Which destination?** If it is known, give `heading`. `headings` computes one from past moves
    only. Do not select moves by what followed, such as "the last moves before the exit": among
    those even a random walk looks directed. Without `heading` the destination is hidden. It is
    drawn uniformly from `destinations`, changes on arrival and with a fitted hazard after each
    move, and its probability given the moves so far is computed with Bayes' rule. No model sees a
    move before it has predicted it. An animal that merely tends to run straight looks directed,
    too. "markov4", which uses the last four places, is the control.

    **Cross-validation.** Paths are divided into contiguous blocks. The paths of a block are
    predicted with parameters, read-out, discount and number of options that were chosen on the
    other blocks. Counts of moves, for "sr_behaviour" and the Markov models, come from the other
    blocks as well. Parameters are chosen on grids. The possible moves are those of `mdp`, for all
    models alike.

    Parameters
    ----------
    mdp : FiniteMDP
        A deterministic MDP, as `from_positions`, `from_path` and `grid_mdp` return it.
    paths : Paths, or list of lists of states, optional
        The paths of the animal, by the names of states, or by their numbers in a recorded arena. By
        default those of a `TrackedMDP`. `Paths` must lead through one world, as those of
        ``paths.where(world=3)``. Several paths are never joined. A state that is repeated counts as
        one visit.
    models : sequence of words, or dict
        "uniform"; "forward", the bias alone; "markov1" to "markov4", the frequency of each
        neighbour given the last places; "geodesic", minus the distance; "optimal", the optimal
        value; "sr" of the random walk; "sr_behaviour" of the animal's own choices in the training
        paths; "hsr" of the random walk over moves and eigenoptions; or a sum of a Markov model and
        another, such as "markov2+hsr". A dictionary of names can also hold a map, an array of shape
        (S, S), or a function of an MDP that returns one, which is called for each discount. A pair
        ("markov2", map) is a sum.
    destinations : list of states, optional
        Possible destinations of the animal. By default all states, or 64 of them spread over the
        maze if there are more.
    heading : list of lists, optional
        The destination of each move of each path, by the names of states, None where it is not
        known. Such moves are left out.
    readouts : sequence of {"linear", "log"}
        Read-outs to choose from: whether the soft-max is taken over values or their logarithms.
        They do not affect geodesic and Markov models.
    blocks : int
        Number of blocks.
    piece : int, optional
        Cut longer paths into pieces of so many moves. Needed if there are few paths.
    min_moves : int
        Only choices among at least so many neighbours are compared. With 3, choices at branches.
    discounts : sequence of floats
        Discounts to choose from.
    n_options : sequence of ints
        Numbers of eigenoptions of the HSR to choose from.
    samples : int
        Number of bootstrap samples of paths for each interval.
    seed : int or numpy.random.Generator
        Seed of the bootstrap.

    Returns
    -------
    ChoiceComparison
        Bits per choice, intervals and fitted parameters. Print it.

    Raises
    ------
    InputError
        If `mdp` is stochastic, a path makes a move that `mdp` does not have, or there are fewer
        paths than blocks.

    Warns
    -----
    HSRWarning
        If more moves lead straight back than in a random walk, as with a tracker that flickers.

    See Also
    --------
    headings : destinations in a given order.
    join_choices : several animals, each as a unit.

    Examples
    --------
    A walker that mostly goes round a ring in the same direction:

    >>> import numpy as np, hsr
    >>> rng = np.random.default_rng(0)
    >>> turns = np.where(rng.random((12, 40)) < 0.9, 1, -1)
    >>> paths = (turns.cumsum(axis=1) % 8).tolist()
    >>> mdp = hsr.from_path(paths, discount=0.9)
    >>> result = hsr.animals.compare_choices(mdp, paths, models=["uniform", "markov1", "markov2"])
    >>> result.bits.round(2)
    array([0.  , 0.45, 0.45])
    >>> result.difference("markov1", "uniform").verdict
    'better'
    """
    n_blocks = check_count(blocks, "blocks", least=2)
    rng, n_samples = generator_from(seed), check_count(samples, "samples")
    grids = Grids(
        tuple(check_discount(discount) for discount in discounts),
        tuple(check_count(n, "n_options") for n in n_options),
        tuple(check_choice(readout, READOUTS, "readouts") for readout in readouts),
    )
    named = read_models(models)
    choices = _read(mdp, paths, destinations, heading, piece, min_moves)
    block = _blocks(choices, n_blocks)
    uniform = choices.per_path(of_uniform(choices))
    scores: dict[Hashable, FloatArray] = {}
    fitted: dict[Hashable, list[dict[str, Any]]] = {}
    for name, model in named.items():
        if isinstance(model.map, str) and model.map == "uniform":
            scores[name], fitted[name] = uniform, [{} for _ in range(n_blocks)]
        else:
            scores[name], fitted[name] = cross_validated(model, choices, grids, block)
    # Bits relative to the uniform choice, so that more neighbours do not mean more bits.
    path_bits = (np.stack(list(scores.values())) - uniform) / np.log(2.0)
    n = choices.per_path(np.ones(choices.state.size)).astype(np.int64)
    weights = resampled(choices.n_paths, n_samples, rng)
    return ChoiceComparison(
        models=tuple(named),
        bits=path_bits.sum(axis=1) / n.sum(),
        intervals=np.array([interval_of(gain, n, weights) for gain in path_bits]),
        path_bits=path_bits,
        path_choices=n,
        path_blocks=block,
        uniform_bits=float(-uniform.sum() / n.sum() / np.log(2.0)),
        fitted=fitted,
        resampled=weights,
    )


def _read(
    mdp: Any, paths: Any, destinations: Any, heading: Any, piece: int | None, min_moves: int
) -> Choices:
    """Return the moves of paths as choices, with their destinations."""
    neighbours = neighbours_of(check_mdp(mdp))
    least = check_count(min_moves, "min_moves", least=2)
    if piece is not None:
        piece = check_count(piece, "piece")
    walked = number_paths(mdp, paths)
    moving = [without_stays(path) for path in walked]
    if not isinstance(mdp, TrackedMDP) or mdp.report.shortest <= 1:
        cure = "hsr.animals.visits(states, shortest=...) returns paths without excursions"
        warn_of_flicker(moving, (neighbours >= 0).sum(axis=1), cure, stacklevel=3)
    known = None
    if heading is not None:
        if destinations is not None or piece is not None:
            raise InputError("heading cannot be given together with destinations or piece")
        moving, known = read_heading(mdp, walked, heading)
        places = np.unique(np.concatenate([*known, [-1]]))[1:]
    elif destinations is None:
        places = spread_places(neighbours, MOST_PLACES)
    else:
        places = np.unique(read_states(mdp, destinations, "destinations"))
    cut = cut_paths(moving, piece)
    if not cut:
        raise InputError("paths have no move between different states")
    check_fits(
        8 * neighbours.size * max(1, places.size),
        "the values of moves for each destination",
        "name fewer destinations",
    )
    return choices_of(neighbours, cut, places, min_moves=least, heading=known)


def _blocks(choices: Choices, n_blocks: int) -> IntArray:
    """Return the block of each path: contiguous, with about equally many paths."""
    if choices.n_paths < n_blocks:
        raise InputError(
            f"{choices.n_paths} paths cannot be divided into {n_blocks} blocks; "
            "piece=... cuts long paths into pieces of so many moves"
        )
    parts = np.array_split(np.arange(choices.n_paths), n_blocks)
    n = choices.per_path(np.ones(choices.state.size))
    empty = [k for k, part in enumerate(parts) if not n[part].any()]
    if empty:
        raise InputError(f"block {empty[0]} of {n_blocks} has no choices to compare; use fewer")
    return np.repeat(np.arange(n_blocks), [part.size for part in parts])
