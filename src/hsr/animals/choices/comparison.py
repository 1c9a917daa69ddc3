"""`compare_choices`: predict the choices of animals by cross-validated models."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError, short_repr
from hsr._base.seeds import Seed, generator_from
from hsr._base.threads import one_thread
from hsr._base.validation import (
    check_choice,
    check_count,
    check_discount,
    check_positive,
    check_probability,
)
from hsr.animals.choices.grounds import grounds_of
from hsr.animals.choices.hidden import cross_validated, of_uniform
from hsr.animals.choices.logit import Fit, Logit, chosen_settings, fitted_settings, parts_of
from hsr.animals.choices.models import ALONG, READOUTS, Grids, Model, read_models
from hsr.animals.choices.recorded import read_heading
from hsr.animals.choices.result import (
    ChoiceComparison,
    JoinedChoices,
    interval_of,
    join_choices,
    resampled,
)
from hsr.animals.choices.walks import (
    Protocol,
    Walks,
    blocks_of,
    read_choices,
    walks_in,
    walks_of,
)
from hsr.animals.paths import Paths
from hsr.mdp.finite import FiniteMDP, check_mdp

DEFAULT_MODELS = ("uniform", "forward", "markov1", "markov2", "geodesic", "optimal", "sr",
                  "sr_behaviour", "hsr")  # fmt: skip


def compare_choices(
    mdp: FiniteMDP | Paths,
    paths: Any = None,
    *,
    models: Any = DEFAULT_MODELS,
    destinations: Any = None,
    heading: Any = None,
    held_out: str | None = None,
    alternatives: Any = None,
    back: bool = True,
    readouts: Sequence[str] = READOUTS,
    blocks: int = 5,
    piece: int | None = None,
    min_moves: int = 2,
    discounts: Sequence[float] = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99),
    n_options: Sequence[int] = (4, 8, 16),
    shares: Sequence[float] = (0.2, 0.5, 0.8),
    rates: Sequence[float] = (0.01, 0.03, 0.1, 0.3, 0.9),
    noises: Sequence[float] = (0.1, 0.2, 0.3, 0.45, 0.7),
    samples: int = 2000,
    seed: Seed = 0,
) -> ChoiceComparison | JoinedChoices:
    """Return how well models predict the moves of animals in held-out paths.

    At each move from s the animal chose one of the neighbours of s. A model gives neighbour n the
    value u(n), and the move has the probability

        p(n | s) = exp(b u(n) + c f(n) + ...) / sum_m exp(b u(m) + c f(m) + ...),

    with f(n) = 0 for the place from which the animal came and 1 for all others. The inverse
    temperature b, which is not negative, and the forward bias c are fitted. With known destinations
    in worlds whose states have cells, there are biases to go straight on and to turn left as well.
    Every model has the biases, so no model gains by predicting only that animals tend to run
    forward.

    **Who is the unit?** Given `Paths` of several subjects, the subjects are: each is fitted and
    predicted alone, and differences between models have Student's interval over subjects. Sessions,
    worlds and trials are nested in subjects. With one subject, paths are resampled.

    **Which destination?** If it is known, give `heading`. `headings` computes one from past moves
    only. Do not select moves by what followed, such as "the last moves before the exit": among
    those even a random walk looks directed. Without `heading` the destination is hidden. It is
    drawn uniformly from `destinations`, changes on arrival and with a fitted hazard after each
    move, and its probability given the moves so far is computed with Bayes' rule. No model sees a
    move before it has predicted it. An animal that merely tends to run straight looks directed,
    too. "markov4", which uses the last four places, is the control.

    **Does a map add anything?** In a sum such as "markov2+sr" or "sr+geodesic", each part has its
    own weight. Its difference from one part is what the other adds to it.

    **What is the value of a place?** For a map, the value of place n for destination g is
    u(n) = M[n, g] / M[g, g]. For an SR this is the discounted probability of ever reaching g. The
    read-out "log" uses the logarithm of u. With it and a free b, values are taken to any power,
    among them b = 1, which chooses in proportion to u.

    **Cross-validation.** Blocks of paths, sessions or worlds are left out one after another, and
    predicted with the parameters, the read-out and the settings that fitted the other blocks best.
    Counts of moves come from the other blocks as well. Models that change along the path ("sr_td",
    "geodesic_seen", "default") know all moves before the one that they predict.

    ==================  ========================================================================
    model               value of a neighbour
    ==================  ========================================================================
    "uniform"           none, and no bias
    "forward"           none: the biases alone
    "markov1" to "4"    log of the frequency with which it followed the last places
    "euclid"            minus the straight-line distance
    "geodesic"          minus the distance in the maze
    "geodesic_seen"     minus the distance with the barriers seen so far
    "optimal"           the discount to the power of the distance
    "planning"          minus the soft shortest distance, with a fitted planning noise
    "default"           log-desirability under linear reinforcement learning with a random walk as
                        default policy, with the barriers seen so far [piray2021]
    "sr"                SR of the random walk
    "sr_td"             SR learned by TD along the path of the subject, over all its worlds
    "sr_behaviour"      SR of the subject's own choices in the training paths
    "hsr"               HSR of the random walk over moves and eigenoptions
    "hsr_betweenness"   the same with options to places of high betweenness
    "hsr_doors"         the same with options to doors: narrow cells, or states without which a
                        graph falls apart
    "hsr_routes"        the same with options to the places that the subject visited most
    ==================  ========================================================================

    Parameters
    ----------
    mdp : FiniteMDP or Paths
        A deterministic MDP, as `from_positions`, `from_path` and `grid_mdp` return it, or the paths
        of one or more subjects with their worlds.
    paths : Paths of one subject, or list of lists of states, optional
        The paths of the animal through `mdp`, by the names of states, or by their numbers in a
        recorded arena. By default those of a `TrackedMDP`. Several paths are never joined. A state
        that is repeated counts as one visit.
    models : sequence of words, or dict
        Words of the table, or sums of them with at most one Markov model. A dictionary of names can
        also hold a map, an array of shape (S, S), or a function of an MDP that returns one, which
        is called for each discount. A mapping from worlds to arrays has a map for each world, such
        as that of the maze before a barrier was moved. A tuple of models is a sum.
    destinations : list of states, optional
        Possible destinations of the animal, if they are hidden. By default all states, or 64 of
        them spread over the maze if there are more. Needs a single world.
    heading : list of lists, optional
        The destination of each move of each path, by the names of states, None where it is not
        known. Such moves are left out.
    held_out : {"path", "session", "world"} or another column, optional
        What is divided into blocks: contiguous paths, or values of a column of the table of
        `Paths`. By default worlds if there are several, else sessions if there are several, else
        paths.
    alternatives : mapping, optional
        From the name of a state to the names of its neighbours among which a choice is made. Moves
        to other neighbours are not compared. With several worlds, a mapping from the names of
        worlds to such mappings. By default all neighbours.
    back : bool
        Whether the place from which the animal came is an alternative. Without it, moves back are
        not compared, and choices are between ways on.
    readouts : sequence of {"linear", "log"}
        Read-outs to choose from: whether the soft-max is taken over values or their logarithms.
        They do not affect distances and Markov models.
    blocks : int
        Number of blocks.
    piece : int, optional
        Cut longer paths into pieces of so many moves. Needed if there are few paths.
    min_moves : int
        Only choices among at least so many alternatives are compared. With 3, or with 2 and
        ``back=False``, choices at branches.
    discounts : sequence of floats
        Discounts to choose from.
    n_options : sequence of ints
        Numbers of options of HSRs to choose from.
    shares : sequence of floats in [0, 1]
        Probabilities, to choose from, that the random walk of an HSR takes an option where there is
        one.
    rates : sequence of floats in [0, 1]
        Learning rates of "sr_td" to choose from.
    noises : sequence of positive floats
        Planning noises to choose from, in moves.
    samples : int
        Number of bootstrap samples of paths for each interval.
    seed : int or numpy.random.Generator
        Seed of the bootstrap.

    Returns
    -------
    ChoiceComparison or JoinedChoices
        Bits per choice, intervals and fitted parameters, of one or of several subjects. Print it.

    Raises
    ------
    InputError
        If an MDP is stochastic, a path makes a move that its world does not have, or there are
        fewer paths, sessions or worlds than blocks.

    Warns
    -----
    HSRWarning
        If more moves lead straight back than in a random walk, as with a tracker that flickers.

    See Also
    --------
    headings : destinations in a given order.
    read_paths : reads own data.
    recovery : whether the models could be told apart.

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
    grids = Grids(
        tuple(check_discount(discount) for discount in discounts),
        tuple(check_count(n, "n_options") for n in n_options),
        tuple(check_choice(readout, READOUTS, "readouts") for readout in readouts),
        tuple(check_probability(share, "shares") for share in shares),
        tuple(check_probability(rate, "rates") for rate in rates),
        tuple(check_positive(noise, "noises") for noise in noises),
    )
    protocol = Protocol(
        read_models(models),
        grids,
        None if heading is not None else destinations,
        held_out,
        alternatives,
        back,
        check_count(blocks, "blocks", least=2),
        None if piece is None else check_count(piece, "piece"),
        check_count(min_moves, "min_moves", least=2),
        check_count(samples, "samples"),
    )
    if heading is not None and (destinations is not None or piece is not None):
        raise InputError("heading cannot be given together with destinations or piece")
    rng = generator_from(seed)
    if not isinstance(mdp, Paths):
        return _of_one(walks_in(check_mdp(mdp), paths, heading), protocol, rng)
    if paths is not None:
        raise InputError(
            "paths are given twice: compare_choices(paths) takes their worlds from them"
        )
    grounds = grounds_of(mdp.worlds)
    subjects = mdp.table["subject"]
    results = {}
    known = None
    if heading is not None:
        known = read_heading([mdp.worlds[name] for name in mdp.table["world"]], mdp.states, heading)
    for subject in mdp.subjects:
        mine = np.flatnonzero(subjects == subject)
        results[subject] = _of_one(walks_of(mdp, mine, known, grounds), protocol, rng)
    return join_choices(results) if len(results) > 1 else next(iter(results.values()))


@one_thread()
def _of_one(walks: Walks, protocol: Protocol, rng: np.random.Generator) -> ChoiceComparison:
    """Compare models of the choices of one animal."""
    if walks.heading is None:
        for name, model in protocol.models.items():
            _check_hidden(name, model)
    choices, of_path = read_choices(walks, protocol)
    block = blocks_of(choices, walks, of_path, protocol)
    uniform = choices.per_path(of_uniform(choices))
    scores: dict[Hashable, FloatArray] = {}
    fitted: dict[Hashable, list[dict[str, Any]]] = {}
    fits: dict[Hashable, list[Fit]] = {}
    logit = None if choices.heading is None else Logit(choices, block)
    for name, model in protocol.models.items():
        if model.is_word("uniform"):
            scores[name], fitted[name] = uniform, [{} for _ in range(protocol.blocks)]
        elif logit is None:
            scores[name], fitted[name] = cross_validated(model, choices, protocol.grids, block)
        else:
            listed = parts_of(model, logit, protocol.grids)
            fits[name] = [chosen_settings(listed, logit, k) for k in range(protocol.blocks)]
            scores[name] = logit.per_path(fits[name])
            fitted[name] = [fitted_settings(fit, logit) for fit in fits[name]]
    # Bits relative to the uniform choice, so that more neighbours do not mean more bits.
    path_bits = (np.stack(list(scores.values())) - uniform) / np.log(2.0)
    n = choices.per_path(np.ones(choices.state.size)).astype(np.int64)
    weights = resampled(choices.n_paths, protocol.samples, rng)
    return ChoiceComparison(
        models=tuple(protocol.models),
        bits=path_bits.sum(axis=1) / n.sum(),
        intervals=np.array([interval_of(gain, n, weights) for gain in path_bits]),
        path_bits=path_bits,
        path_choices=n,
        path_blocks=block,
        path_of=of_path,
        uniform_bits=float(-uniform.sum() / n.sum() / np.log(2.0)),
        fitted=fitted,
        ends={name: [protocol.grids.ends(one) for one in each] for name, each in fitted.items()},
        resampled=weights,
        logit=logit,
        fits=fits,
    )


def _check_hidden(name: Hashable, model: Model) -> None:
    """Refuse models that cannot be compared without known destinations."""
    along = [one for one in model.maps if isinstance(one, str) and one in ALONG]
    if along or len(model.maps) > 1:
        raise InputError(
            f"the model {short_repr(name)} needs known destinations: give heading. Without it, a "
            "model has at most one Markov model and one map that does not change along the path"
        )
