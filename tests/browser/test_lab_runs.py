"""Agents that learn and explore on the page of the lab, in a real browser."""

import numpy as np
import pytest

import hsr
from tests.browser.lab_page import (
    episode,
    lab,
    learn,
    press,
    run_script,
    use_map,
)
from tests.waiting import soon


def test_two_agents_run_to_the_goal_switch(visit):
    page = visit("t=watch&ep=8&sp=20000", reduced_motion="no-preference")
    learn(page)
    assert soon(lambda: lab(page, "training.episode") >= 8, 60)
    assert "goal 2" in episode(page).get_attribute("aria-valuetext")
    assert soon(
        lambda: lab(page, "training.episode") == 15 and not lab(page, "training.playing"), 60
    )
    steps = lab(page, "training.steps")
    assert [len(one) for one in steps] == [16, 16]
    printed = run_script(page)
    assert [[*agent["steps"][0], *agent["steps"][1]] for agent in printed["agents"]] == steps
    assert printed["optimal"] == lab(page, "training.optimal")
    shown = lab(page, "training")
    assert shown["nSeeds"] == 20
    for i, agent in enumerate(printed["agents"]):
        every = np.reshape(agent["all_steps"], (20, 16))
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
    layout = hsr.GridLayout.from_text("S1\n2.")
    agent = hsr.LinearQ("sr", learning_rate=0.01, epsilon=0.1)
    tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    plain = hsr.train(
        hsr.grid_mdp(layout, discount=0.9), tasks, agent, seeds=[0], episodes=8, horizon=1
    )
    page = visit("t=watch&ep=8&ho=1&o=none")
    use_map(page, layout.to_text())
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
    assert ["goal reached" in text for text in words] == plain.terminated[0, 0].tolist()
    assert ["cut off" in text for text in words] == (~plain.terminated[0, 0]).tolist()
    assert 0 < plain.terminated[0, 0].sum() < 8


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
    printed, means = run_script(page), lab(page, "exploration.mean")
    assert [agent["first_visit"] for agent in printed["agents"]] == found["firstVisit"]
    for agent, mean in zip(printed["agents"], means, strict=True):
        assert mean == pytest.approx(np.mean(agent["all_coverage"], axis=0))
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
