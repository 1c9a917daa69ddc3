"""`GridWorld` against the map it is made of, Gymnasium's own checks, and the exact MDP."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import hsr.envs
from hsr.envs.random_stream import draw
from hsr.mdp.task import step_rewards
from tests.cases import raises

IDS = [name for name in gymnasium.registry if name.startswith("hsr/")]
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
ISLAND = hsr.GridLayout(np.array([[False, False, True, False]]))


make = hsr.GridWorld


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_has_nothing_to_say_against_it(name):
    check_env(gymnasium.make(name).unwrapped)


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_seed_or_a_generator_decides_what_happens(by_hand):
    def life(seed):
        env = make(start="random", slip=0.5)
        if by_hand:
            env.np_random = np.random.default_rng(seed)
        start, _ = env.reset(seed=None if by_hand else seed)
        return [start, *(env.step(1)[0] for _ in range(10)), env.reset()[0]]

    assert life(3) == life(3)
    assert len({life(seed)[0] for seed in range(30)}) > 15


def test_moves_are_those_of_the_map_as_it_is_drawn():
    layout = hsr.load_layout("corridor")
    env = make(layout="corridor")
    state, info = env.reset()
    assert info["cell"].tolist() == list(layout.cell_of(layout.start)) == [2, 2]
    for action in np.random.default_rng(1).integers(4, size=500):
        row, col = info["cell"] + STEPS[action]
        expected = info["cell"].tolist() if layout.walls[row, col] else [row, col]
        state, reward, terminated, truncated, info = env.step(action)
        assert info["cell"].tolist() == expected == list(layout.cell_of(state))
        arrived = state == layout.goals[0]
        assert (reward, terminated, truncated) == (float(arrived), arrived, False)
        if terminated:
            break


def test_the_goal_pays_once_and_holds_the_agent():
    env = make(layout=hsr.GridLayout.from_text("S.1"))
    env.reset()
    assert env.step(1)[:4] == (1, 0.0, False, False)
    assert env.step(1)[:4] == (2, 1.0, True, False)
    assert env.step(3)[:4] == (2, 0.0, True, False)


def test_episodes_are_truncated_at_the_papers_horizon():
    env = gymnasium.make("hsr/FourRooms-v0")
    env.reset()
    ends = [env.step(0)[2:4] for _ in range(5000)]
    assert ends == [(False, False)] * 4999 + [(False, True)]


def test_a_slipping_move_goes_where_the_mdp_says():
    """Counts of 4000 moves from one cell against the exact row; 4.5 standard deviations fail by
    accident once in 10^5.
    """
    env, n = make(slip=0.4, start=(3, 6), goal=(11, 11)), 4000
    exact = env.mdp.transition_of(1).toarray()[env.layout.state_at(3, 6)]
    env.reset(seed=0)
    counts = np.zeros(env.layout.n_states)
    for _ in range(n):
        env.reset()
        counts[env.step(1)[0]] += 1
    assert exact.max() == pytest.approx(0.6)
    assert (np.abs(counts - n * exact) <= 4.5 * np.sqrt(n * exact * (1 - exact))).all()


def test_random_starts_are_uniform_over_what_can_reach_the_goal():
    """Counts of 5000 starts; 5 standard deviations for each of some hundred states."""
    env, n = make(start="random", goal=0), 5000
    env.reset(seed=3)
    counts = np.bincount([env.reset()[0] for _ in range(n)], minlength=104)
    assert counts[0] == 0
    assert np.abs(counts[1:] - n / 103).max() <= 5 * np.sqrt(n / 103)
    assert env.task == hsr.GoalTask(None, 0)


def test_a_map_without_a_start_draws_one_within_reach():
    env = make(layout=ISLAND, goal=(0, 1))
    assert {env.reset()[0] for _ in range(20)} == {0}


def test_splitmix64_gives_the_published_numbers():
    """First outputs for the state 1234567, as printed with the reference implementation."""
    published = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    stream = 1234567
    for z in (*published, 4593380528125082431, 16408922859458223821):
        stream, u = draw(stream)
        assert 0.0 <= u == (z >> 11) / 2**53 < 1.0


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_the_table_is_the_mdp_with_a_goal_that_nothing_leaves(slip):
    env = make(slip=slip, goal=(3, 9))
    goal = env.task.goal
    expected = env.mdp.toarray()
    expected[goal] = np.eye(104)[goal]
    mdp = hsr.from_gymnasium(env)
    assert np.allclose(mdp.toarray(), expected, atol=1e-15)
    expected[goal] = 0.0
    paid = step_rewards(mdp, hsr.RewardTask(mdp)).expected
    assert np.allclose(paid, expected[:, :, goal], atol=1e-15)
    assert env.P[goal][2] == [(1.0, goal, 0.0, True)]


def test_value_iteration_on_the_table_finds_the_distances():
    env = make(layout="loop", discount=0.9)
    value = np.zeros(env.layout.n_states)
    for _ in range(60):

        def of(outcomes, value=value):
            return sum(p * (r + 0.9 * value[t] * (not done)) for p, t, r, done in outcomes)

        value = np.array([max(map(of, choices.values())) for choices in env.P.values()])
    steps = env.layout.distances_from(env.task.goal)
    assert np.allclose(value, np.where(steps > 0, 0.9 ** (steps - 1.0), 0.0), atol=1e-12)


def test_goal_and_start_may_be_cells_or_states_and_the_map_a_file(tmp_path):
    env = make(goal=(3, 9), start=np.array([11, 1]))
    layout = env.layout
    assert env.task == make(goal=layout.state_at(3, 9), start=layout.state_at(11, 1)).task
    assert env.task == hsr.GoalTask(layout.state_at(11, 1), layout.state_at(3, 9))
    (tmp_path / "row.txt").write_text("S..1")
    for path in (tmp_path / "row.txt", str(tmp_path / "row.txt")):
        assert make(layout=path, goal=[0, 2]).task == hsr.GoalTask(0, 2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"layout": "four_room"}, "did you mean 'four_rooms'.*text file"),
        ({"goal": (0, 0)}, r"goal: cell \(0, 0\) is a wall"),
        ({"goal": "door"}, r"goal is 'door'; it must be a cell \(row, col\) or a state"),
        ({"start": "anywhere"}, "start is 'anywhere'"),
        ({"start": (3, 9)}, r"start and goal are both \(3, 9\)"),
        ({"layout": ISLAND}, "has no goal '1'"),
        (
            {"layout": ISLAND, "goal": 0, "start": 2},
            r"goal \(0, 0\) cannot be reached from start \(0, 3\)",
        ),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(settings, words):
    with raises(words):
        make(**settings)


def test_nothing_can_be_done_before_reset():
    env = make(render_mode="ansi")
    for do in (lambda: env.step(0), env.render):
        with raises("call reset first"):
            do()


def test_the_text_shows_the_map_the_goal_and_the_agent():
    env = make(layout=hsr.GridLayout.from_text("S.#\n#.1"), render_mode="ansi")
    env.reset()
    env.step(1)
    assert env.render() == ".@#\n#.G"
    assert make().render() is None


def test_pixels_show_the_agent_where_it_is():
    env = make(render_mode="rgb_array")
    env.reset()
    before = env.render()
    env.step(1)
    after = env.render()
    assert before.shape == after.shape == (13 * 32, 13 * 32, 3)
    changed = np.argwhere((before != after).any(axis=2)) // 32
    assert {tuple(cell) for cell in changed.tolist()} == {(1, 1), (1, 2)}
    middles = after[16::32, 16::32]
    wall, left, agent, goal = (middles[cell].tolist() for cell in ((1, 0), (1, 1), (1, 2), (3, 9)))
    assert (wall, left) == ([61] * 3, [255] * 3)
    assert (agent, goal) == ([0, 114, 178], [0, 158, 115])
