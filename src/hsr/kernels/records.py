"""Groups of arrays that the learning kernels read and write, and their status codes and clocks.

Letters are those of `docs/symbols.md`: S states, A actions, O options, C = A + O choices. D is the
length of a row of features, padded with zeros to a multiple of eight (`hsr._base.row_arithmetic`).
Maps are padded in the same way. Arrays that an agent does not use are empty, or None. None has a
type of its own, so that a kernel is compiled without the code for it.
"""

from collections import namedtuple

FINISHED, PAUSED, DIVERGED = 0, 1, 2
"""What a learning kernel returns: all is done, call again to resume, or values blew up."""

Tables = namedtuple(
    "Tables",
    "indptr arrival cumulative n_actions available n_available successor action policy beta "
    "is_certain seen pays ends",
    defaults=(None, None, None),
)
"""An MDP as tables: what can be chosen in each state, and what follows.

Outcomes of state s and action a are stored in row s * A + a of a compressed sparse table.

indptr       (S * A + 1,) where each row begins
arrival      (nnz,) the states that follow
cumulative   (nnz,) cumulative sums of their probabilities, from zero in each row
n_actions    the number of primitive actions, which are the first choices; options follow
available    (S, C) the choices of each state, those that can be made first, in order
n_available  (S,) how many of them can be made
successor    (C, S) where a choice leads in one step, -1 if the step is random
action       (O, S) the action of an option, -1 if its policy is random there
policy       (O * S * A,) cumulative sums of random policies, empty if none is random
beta         (O, S) probability that an option stops on arrival
is_certain   whether neither steps, nor options' actions, nor their ends are random
seen         (nnz,) how often each outcome was seen, counted to find options; None if not counted
pays         (nnz,) what each outcome pays; None if a goal pays 1 and ends the episode
ends         (S,) whether the episode is over in a state, if there is `pays`
"""

LinearQRule = namedtuple(
    "LinearQRule",
    "kind gamma map_gamma alpha map_alpha epsilon tolerance largest learns_primitives "
    "learns_chosen learns_consistent learns_running learns_passed_rows tries_primitives "
    "takes_first explores_each_step walks starts goal horizon continues",
    defaults=(False, None, -1, 0, False),
)
"""How linear Q-learning acts and learns, and its task.

kind                what W holds: TABLE, DUAL or LINEAR of `values`
map_gamma           the discount of the maps, which may differ from that of the values, gamma
tolerance           values this close to the best are tied with it
largest             an error of this size means that values have blown up
learns_primitives   every step updates the value of its primitive action
learns_chosen       the end of a choice updates the value of that choice
learns_consistent   every step updates all options that would have taken its action
learns_running      every step updates the value of the option that runs
learns_passed_rows  the end of a choice updates the HSR's rows of all states passed
tries_primitives    exploration draws a primitive action, otherwise any choice
takes_first         of tied choices the first is taken, otherwise one is drawn
explores_each_step  exploration may interrupt an option before each of its further steps
walks               `sr` is learned from a random walk that takes one step for each of the agent
starts              (n,) the states in which episodes begin
goal                the state that pays 1 when it is entered, -1 if there is none
horizon             the most steps of an episode
continues           whether the goal leads to the only start, otherwise nothing follows it
"""

LinearQState = namedtuple(
    "LinearQState",
    "W X sr hsr intra pool_values reward_weights q path sums clock steps decisions terminated "
    "covered returns choice_use first_visit trace",
)
"""Everything that linear Q-learning writes: what it has learned, where it stands, what happened.

W            (C, D) weights or values, see `values`
X            (S, D) features or their inner products, see `values`
sr, hsr      (S, D) maps learned online
intra        (C, S, D) maps of the choices, learned at every step (`intra_option`); empty for an
             agent whose values of options alone are learned so; otherwise None
pool_values  (S, A) or (S, C) values of a pool of policies (`pool`) over actions or choices, by
             which the agent acts instead of W; empty before they are known, None without a pool
reward_weights  (1, D) weights of the estimated reward; empty if it is not estimated

q, path      (C,) and (horizon + 1,) values of choices, and states that the running choice passed
sums         (2,) discounted reward of the running choice, and the discount of what follows
clock        (13,) places below

steps, decisions, terminated, covered  (episodes,) `covered` counts the states seen so far
returns      (episodes,) discounted returns, written only if there is `pays`
choice_use   (C,) how often each choice was made
first_visit  (S,) total steps when a state was first seen, -1 before
trace        (n, 6) episode, choice, whether it began here, state, action and arrival of each step
"""

(
    EPISODE, TIME, STATE, TOTAL_TIME, N_COVERED, N_TRACED, EXPLORES, CHOICE, DURATION, PAUSE_AT,
    RETURN_AT, ONE_EPISODE, WALKER,
) = range(13)  # fmt: skip
"""Places of the clock of `linear_q.learn`: where it stands, and when it pauses.

EPISODE     index of the episode
TIME        steps in this episode
STATE       where the agent is, -1 between episodes
TOTAL_TIME  steps since the first task began
N_COVERED   states seen since the first task began
N_TRACED    rows written into the trace
EXPLORES    whether the next choice is random because exploration interrupted an option
CHOICE      the choice that is running, -1 between choices
DURATION    its steps so far
PAUSE_AT    pause before the first choice at or after this many total steps
RETURN_AT   pause at this many total steps, also while a choice is running
ONE_EPISODE whether to pause after every episode
WALKER      where the random walk is that teaches the map, -1 before its first step
"""

SarsaRule = namedtuple(
    "SarsaRule",
    "gamma alpha map_alpha epsilon tolerance bonus weight learns_each_step pays_each_step "
    "norm_of_left steps start goal",
    defaults=(0, 0, -1),
)
"""How SARSA with a bonus acts and learns, and its task.

tolerance         values this close to the best are tied with it
bonus             NONE, NORM, SPIE, SPIE_L1 or GIVEN of `sarsa`, multiplied by `weight`
learns_each_step  M is the SR, which learns at every step; otherwise the HSR, at the end of a choice
pays_each_step    one bonus for every step, otherwise one for every choice
norm_of_left      NORM takes the row of the state left, otherwise of the one arrived in
steps             the number of steps
start             the state in which the agent begins
goal              the goal, -1 if there is none
"""

SarsaState = namedtuple(
    "SarsaState",
    "Q M column_sums row_sums sr q path sums clock first_visit visits choice_use trace",
)
"""Everything that SARSA writes: what it has learned, where it stands, and what happened.

Q            (S, C) values
M            (S, D) the map of the bonus
column_sums  (1, D) sums over M's columns, of squares for SPIE
row_sums     (S,) sums over M's rows, for NORM
sr           (S, D) a successor representation besides M, in which options are found

q, path      (C,) and int array: values of the choices, and states passed by the running choice,
             its end included
sums         (3,) discounted reward of the running choice, the discount of what follows, and the
             sum of discounts
clock        (8,) places below

first_visit  (S,) steps when a state was first seen, -1 before
visits       (S,) arrivals
choice_use   (C,) how often each choice was made
trace        (steps, 6) as in `LinearQState`, or empty
"""

(
    SARSA_TIME, SARSA_STATE, SARSA_EPISODE, SARSA_NEXT, SARSA_CHOICE, SARSA_DURATION,
    SARSA_PAUSE_AT, SARSA_RETURN_AT,
) = range(8)  # fmt: skip
"""Places of the clock of `sarsa.explore`.

Steps so far, where the agent is, episodes that have ended; the next choice, -1 if it is not made
yet; the choice that is running, -1 if there is none, and its steps so far; PAUSE_AT and RETURN_AT
as above.
"""
