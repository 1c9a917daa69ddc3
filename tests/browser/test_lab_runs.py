"""Agents that learn and explore on the page of the lab, in a real browser."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.lab.node.library import maze
from tests.lab.node.page_code import replies_of_the_page, world
from tests.waiting import soon

LEARNERS = [{"features": "sr"}, {"features": "hsr"}]
EXPLORERS = [
    {"bonus": bonus, "on": on, "options": options}
    for bonus, on, options in (
        ("none", "sr", False), ("spie", "sr", False), ("none", "sr", True), ("spie", "hsr", True),
    )
]  # fmt: skip


def runs_under_node(*names, described=None, **fields):
    """Return runs of the page's first agents, which the same code computes under Node."""
    asked = {"world": described or world(maze("four_rooms")), "agents": LEARNERS, "seed": 0}
    asked |= {"n_seeds": 1, "horizon": 2000, **fields}
    return replies_of_the_page({name: {"do": name, **asked} for name in names})


def episode(page):
    return page.get_by_role("slider", name="Episode")


def test_two_agents_run_to_the_goal_switch(visit):
    page = visit("t=watch&ep=8&sp=20000", reduced_motion="no-preference")
    page.learn()
    page.until("training.episode >= 8")
    assert "goal 2" in episode(page).get_attribute("aria-valuetext")
    page.until("training.episode === 15 && !training.playing && training.nSeeds === 20")
    shown, alone = page.get("training"), runs_under_node("train", "seeds", episodes=8, n_seeds=20)
    assert shown["optimal"] == alone["train"]["optimal"]
    agents = zip(alone["train"]["agents"], alone["seeds"]["agents"], strict=True)
    for i, (agent, others) in enumerate(agents):
        assert shown["steps"][i] == agent["steps"]
        every = np.array([agent["steps"], *(other["steps"] for other in others)])
        assert shown["mean"][i] == pytest.approx(every.mean(axis=0))
        for edge, share in zip(shown["band"][i], (0.1, 0.9), strict=True):
            assert edge == pytest.approx(np.quantile(every, share, axis=0))


def test_playback_is_watched_step_by_step(visit):
    page = visit("t=watch&ep=4&sp=60", reduced_motion="no-preference")
    page.learn()
    page.until("training.playing")
    page.press("Pause")
    page.press("Restart")
    assert page.get("training.step") == 0
    page.press("Step", exact=True)
    page.until("training.step === 1")
    episode(page).press("ArrowRight")
    assert page.get("training.episode") == 1


def test_a_goal_reached_with_the_last_step_that_was_allowed_is_no_episode_cut_off(visit):
    drawing = "S1\n2."
    alone = runs_under_node("train", described=world(drawing, kind="none"), episodes=8, horizon=1)
    reached = np.array(alone["train"]["agents"][0]["ends"][:8]) == 1
    page = visit("t=watch&ep=8&ho=1&o=none")
    page.use_maze(drawing)
    page.learn()
    words, shown = [], page.locator("#agent1")

    def stepped():
        """Step, once the steps of the episode are there."""
        if "Step 1 of 1" not in shown.inner_text():
            page.press("Step", exact=True)
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
    page.use_maze("S1\n.2")
    page.learn()
    episode(page).press("End")
    page.says("Step 0 of 0, not run", "#agent1")
    page.says("Its values diverged", "#agent1")


def test_exploration_shows_coverage(visit):
    page = visit("t=explore&xn=2000&xp=20000", reduced_motion="no-preference")
    page.press("Let them explore")
    page.until("exploration?.time === 2000 && exploration.mean.length === 4")
    shown = page.get("exploration")
    alone = runs_under_node("explore", "explorations", agents=EXPLORERS, steps=2000, n_seeds=10)
    agents = zip(alone["explore"]["agents"], alone["explorations"]["agents"], strict=True)
    for i, (agent, others) in enumerate(agents):
        assert shown["firstVisit"][i] == agent["firstVisit"]
        seen = sum(time >= 0 for time in agent["firstVisit"]) / len(agent["firstVisit"])
        assert shown["coverage"][i][-1] == pytest.approx(seen)
        assert page.get_by_text(f"{round(100 * seen)} % of states seen").count()
        assert shown["mean"][i] == pytest.approx(np.mean([agent["coverage"], *others], axis=0))
    assert page.get_by_text("on average over 10 seeds").count()
    page.get_by_role("button", name="Remove").first.click()
    assert page.get("exploration") is None
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
    assert soon(main.is_enabled)
    assert page.get(shown) is None  # it would be drawn under the names of other agents
    main.click()
    page.until(shown)


def test_episodes_that_are_cut_off_are_named(visit):
    page = visit("t=watch&tr=1&ep=2&ns=2&ho=20")
    words = "An episode that is cut off counts as 20 steps, so means are lower bounds."
    page.says(words, "figure.chart")


@pytest.mark.parametrize(("width", "horizon", "tab"), [(1280, 60, "see"), (390, 3000, "watch")])
def test_an_episode_is_saved_as_an_animation(visit, width, horizon, tab):
    """One is made while another tab is looked at, the other while lines wrap on a phone."""
    page = visit(f"t=watch&tr=1&ep=3&ns=2&ho={horizon}", width=width)
    page.until("training")
    gif = page.get_by_role("button", name="GIF", include_hidden=True)
    start = f"(gif) => {{ gif.click(); document.getElementById('tab-{tab}').click(); }}"
    with page.expect_download(timeout=60_000) as download:
        gif.evaluate(start)
    assert gif.is_enabled()
    film = Image.open(BytesIO(Path(download.value.path()).read_bytes()))
    assert film.format == "GIF"
    size = film.size
    film.seek(film.n_frames - 1)
    assert film.size == size  # a frame beyond the edge enlarges it
    assert 20 < film.n_frames <= 80
    last = film.convert("RGB")
    assert last.getpixel((1, 1)) == (255, 255, 255)
    assert len(last.getcolors(maxcolors=1 << 16)) > 20


def test_an_animation_of_a_run_that_is_gone_is_given_up(visit):
    page = visit("t=watch&tr=1&ep=3&ns=1&ho=60")
    page.until("training")
    gif = page.get_by_role("button", name="GIF", include_hidden=True)
    gif.evaluate("(button) => { button.click(); location.hash = 't=watch&ep=3&ns=1'; }")
    page.says("No animation was saved")
    assert gif.is_enabled()
    assert page.get("training") is None  # the link has no run


def test_a_link_to_a_run_that_is_opened_later_keeps_it_while_it_is_computed(visit):
    page = visit("t=watch&ep=2&ns=1")
    page.learn()
    trained = """() => new Promise((done) => {
        addEventListener('hashchange', () => done(hsrLab.state.trained));
        location.hash = 't=watch&tr=1&ep=3&ns=1&e=4';
    })"""
    assert page.evaluate(trained)
    page.until("training?.episode === 4")


def test_the_other_seeds_can_be_stopped(visit):
    page = visit("t=watch&tr=1&ep=200&ns=50")
    page.until("training")
    stop, stopped = page.get_by_role("button", name="Stop"), "The other seeds were stopped."
    stop.click()
    assert not stop.is_visible()
    assert page.get_by_text(stopped).is_visible()
    assert page.get("training.nSeeds") == 1
    page.press("Other seeds")
    assert not page.get_by_text(stopped).is_visible()


def test_another_world_is_trained_by_one_click(visit):
    page = visit("t=watch&ep=2&ns=3")
    swapped = page.get("state.map").translate(str.maketrans("12", "21"))
    page.press("Swap goals")
    page.until("training?.nSeeds === 3")
    assert page.get("state.map") == swapped
    page.press("Other start")
    page.until("training")
    assert page.get("state.map") != swapped
    assert page.get("state.map").replace("S", ".") == swapped.replace("S", ".")
    page.press("Other goals")
    page.until("training")
    assert page.get("state.map").translate(str.maketrans("12S", "...")) == swapped.translate(
        str.maketrans("12S", "...")
    )
