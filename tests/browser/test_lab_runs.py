"""Agents that learn and explore on the page of the lab, in a real browser."""

import numpy as np
import pytest

from tests.browser.lab_page import episode, lab, learn, press, use_map
from tests.lab.node.library import maze
from tests.lab.node.page_code import replies_of_the_page, world
from tests.waiting import soon

LEARNERS = [{"features": "sr"}, {"features": "hsr"}]
EXPLORERS = [
    ("none", "sr", False),
    ("spie", "sr", False),
    ("none", "sr", True),
    ("spie", "hsr", True),
]


def runs_under_node(*names, described=None, **fields):
    """Return runs of the page's first agents, which the same code computes under Node."""
    asked = {"world": described or world(maze("four_rooms")), "agents": LEARNERS, "seed": 0}
    asked |= {"n_seeds": 1, "horizon": 2000, **fields}
    return replies_of_the_page({name: {"do": name, **asked} for name in names})


def test_two_agents_run_to_the_goal_switch(visit):
    page = visit("t=watch&ep=8&sp=20000", reduced_motion="no-preference")
    learn(page)
    assert soon(lambda: lab(page, "training.episode") >= 8, 60)
    assert "goal 2" in episode(page).get_attribute("aria-valuetext")
    assert soon(
        lambda: lab(page, "training.episode") == 15 and not lab(page, "training.playing"), 60
    )
    assert soon(lambda: lab(page, "training.nSeeds") == 20)
    shown, alone = lab(page, "training"), runs_under_node("train", "seeds", episodes=8, n_seeds=20)
    assert shown["optimal"] == alone["train"]["optimal"]
    for i, (agent, others) in enumerate(
        zip(alone["train"]["agents"], alone["seeds"]["agents"], strict=True)
    ):
        assert shown["steps"][i] == agent["steps"]
        every = np.array([agent["steps"], *(other["steps"] for other in others)])
        assert shown["mean"][i] == pytest.approx(every.mean(axis=0))
        for edge, share in zip(shown["band"][i], (0.1, 0.9), strict=True):
            assert edge == pytest.approx(np.quantile(every, share, axis=0))


def test_playback_is_watched_step_by_step(visit):
    page = visit("t=watch&ep=4&sp=60", reduced_motion="no-preference")
    learn(page)
    assert soon(lambda: lab(page, "training.playing"))
    press(page, "Pause")
    press(page, "Restart")
    assert lab(page, "training.step") == 0
    press(page, "Step", exact=True)
    assert soon(lambda: lab(page, "training.step") == 1)
    episode(page).press("ArrowRight")
    assert lab(page, "training.episode") == 1


def test_a_goal_reached_with_the_last_step_that_was_allowed_is_no_episode_cut_off(visit):
    drawing = "S1\n2."
    alone = runs_under_node("train", described=world(drawing, kind="none"), episodes=8, horizon=1)
    reached = np.array(alone["train"]["agents"][0]["ends"][:8]) == 1
    page = visit("t=watch&ep=8&ho=1&o=none")
    use_map(page, drawing)
    learn(page)
    words, shown = [], page.locator("#agent1")

    def stepped():
        """Step, once the steps of the episode are there."""
        if "Step 1 of 1" not in shown.inner_text():
            press(page, "Step", exact=True)
        return "Step 1 of 1" in shown.inner_text()

    for _ in range(8):
        assert soon(stepped)
        words.append(shown.inner_text())
        episode(page).press("ArrowRight")
    assert ["goal reached" in text for text in words] == reached.tolist()
    assert ["cut off" in text for text in words] == (~reached).tolist()
    assert 0 < reached.sum() < 8


def test_episodes_that_a_diverged_run_left_out_are_not_said_to_reach_the_goal(visit):
    page = visit("t=watch&ep=200&ho=5000&o=none&d=0.99&r1=1")
    use_map(page, "S1\n.2")
    learn(page)
    episode(page).press("End")
    shown = page.locator("#agent1")
    assert soon(lambda: "Step 0 of 0, left out" in shown.inner_text())
    assert "grew without bound" in shown.inner_text()


def test_exploration_shows_coverage(visit):
    page = visit("t=explore&xn=2000&xp=20000", reduced_motion="no-preference")
    press(page, "Let them explore")
    assert soon(lambda: lab(page, "exploration"), 120)
    assert soon(lambda: lab(page, "exploration.time") == 2000, 30)
    found = lab(page, "exploration")
    assert len(found["coverage"]) == 4
    for coverage, first_visit in zip(found["coverage"], found["firstVisit"], strict=True):
        seen = sum(time >= 0 for time in first_visit) / len(first_visit)
        assert coverage[-1] == pytest.approx(seen)
        assert page.get_by_text(f"{round(100 * seen)} % of states seen").count()
    assert soon(lambda: len(lab(page, "exploration.mean")) == 4)
    agents = [{"bonus": bonus, "on": on, "options": options} for bonus, on, options in EXPLORERS]
    asked = {"agents": agents, "steps": 2000, "n_seeds": 10}
    means = lab(page, "exploration.mean")
    alone = runs_under_node("explore", "explorations", **asked)
    first, others = alone["explore"]["agents"], alone["explorations"]["agents"]
    assert [agent["firstVisit"] for agent in first] == found["firstVisit"]
    for agent, seeds, mean in zip(first, others, means, strict=True):
        assert mean == pytest.approx(np.mean([agent["coverage"], *seeds], axis=0))
    assert page.get_by_text("on average over 10 seeds").count()
    page.get_by_role("button", name="Remove").first.click()
    assert lab(page, "exploration") is None
    assert page.get_by_role("button", name="Remove").count() == 3


@pytest.mark.parametrize(
    ("tab", "words", "shown"),
    [("watch", "learn", "training"), ("explore", "explore", "exploration")],
)
def test_a_run_is_given_up_when_what_was_asked_for_changes(visit, tab, words, shown):
    page = visit(f"t={tab}")
    main = page.get_by_role("button", name=f"Let them {words}")
    change = """(panel) => {
        panel.querySelector('button.main').click();
        const choice = panel.querySelector('.agent1 select');
        choice.value = [...choice.options].find((other) => other.value !== choice.value).value;
        choice.dispatchEvent(new Event('change'));
    }"""
    page.locator(f"#panel-{tab}").evaluate(change)  # in one go, so that no answer comes between
    assert soon(lambda: main.is_enabled(), 120)
    assert lab(page, shown) is None  # it would be drawn under the names of other agents
    main.click()
    assert soon(lambda: lab(page, shown), 120)
