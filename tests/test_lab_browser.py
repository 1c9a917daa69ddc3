"""The page of the lab in a real browser, against the real server: paint, see, watch, explore, take away.

The medians that are printed at the end are measured by the page itself and asserted nowhere.
"""

import base64
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import hsr
import hsr.lab
from hsr.lab import limits
from hsr.lab.answers import Answers
from hsr.lab.messages import read_request
from tests.waiting import soon

CONTROLS = """() => [...document.querySelectorAll('button, input, select, summary, canvas[tabindex]')].filter(
    (control) => control.getClientRects().length && !control.disabled && !control.closest('[inert]')
       && !(control.type === 'radio' && !control.checked))"""

MEDIANS = {}


@pytest.fixture(scope="module")
def address():
    """Where a lab of our own can be reached."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    command = Path(sys.executable).with_name("hsr")
    with subprocess.Popen([command, "lab", "--no-browser"], stdout=subprocess.PIPE, text=True) as server:
        line = server.stdout.readline()
        yield line.split()[-1]
        server.terminate()
        server.communicate(timeout=30)


@pytest.fixture
def visit(browser, address):
    """Open the lab at a hash; whatever goes wrong in any page fails the test."""
    faults, pages = [], []  # and opened.sent: when each message went to the server

    def opened(hash="", width=1280, height=900, **settings):
        page = browser.new_page(viewport={"width": width, "height": height}, **settings)
        page.set_default_timeout(30_000)
        page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: faults.append(request.url) if is_foreign(request.url, address) else None)
        page.on("websocket", lambda socket: faults.append(socket.url) if is_foreign(socket.url, address) else None)
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: opened.sent.append(time.monotonic())))
        page.goto(f"{address}#{hash}")
        assert soon(lambda: lab(page, "connected"))
        pages.append(page)
        return page

    opened.sent = []
    yield opened
    for page in pages:
        page.close()
    assert faults == []


def is_foreign(url, address):
    return urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != urlsplit(address).netloc


def lab(page, what):
    """Return a property of what the page shows."""
    return page.evaluate(f"window.hsrLab.{what}")


def rows(page):
    """Return the rows shown once they are those of the map as it is drawn and of the state that is looked at."""
    assert soon(lambda: page.evaluate("hsrLab.rows !== null && hsrLab.rows.map === hsrLab.state.map"))
    return lab(page, "rows")


def editor(page):
    return page.get_by_role("application", name="Your map")


def click_cell(page, row, column):
    """Click a cell of the editor's map, which lies in the middle of its canvas."""
    box = editor(page).bounding_box()
    lines = lab(page, "state.map").split("\n")
    size = min(box["width"] / len(lines[0]), box["height"] / len(lines))
    size = int(size)  # whole pixels, as the page draws them
    left = box["x"] + int((box["width"] - size * len(lines[0])) / 2)
    page.mouse.click(left + (column + 0.5) * size, box["y"] + (row + 0.5) * size)


def choose(page, name):
    page.get_by_role("radio", name=name, exact=True).check(force=True)


def pixels(page, name):
    return page.get_by_role("application", name=name).evaluate("(canvas) => canvas.toDataURL()")


def test_a_painted_wall_changes_the_row_and_undo_restores_it(visit):
    page = visit()
    before, picture = rows(page), pixels(page, "HSR")
    choose(page, "Wall")
    click_cell(page, 3, 6)
    assert soon(lambda: lab(page, "rows.map") != before["map"])
    after = rows(page)
    assert len(after["hsr"]) == len(before["hsr"]) - 1
    assert sorted(after["hsr"]) != sorted(before["hsr"])[1:]
    assert soon(lambda: pixels(page, "HSR") != picture)
    page.keyboard.press("Control+z")
    assert soon(lambda: lab(page, "rows.map") == before["map"])
    assert rows(page) == before
    assert soon(lambda: pixels(page, "HSR") == picture)
    page.keyboard.press("Control+Shift+Z")
    assert soon(lambda: lab(page, "rows") == after)


def test_one_drag_is_one_stroke(visit):
    page = visit()
    before = rows(page)["map"]
    choose(page, "Wall")
    box = editor(page).bounding_box()
    size = int(box["width"] / 13)
    x, y = box["x"] + 2.5 * size + (box["width"] - 13 * size) // 2, box["y"] + 8.5 * size
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 2 * size, y, steps=3)
    page.mouse.up()
    painted = lab(page, "state.map")
    assert sum(a != b for a, b in zip(before, painted, strict=True)) == 3
    page.get_by_role("button", name="Undo").click()
    assert lab(page, "state.map") == before


def test_what_is_cut_off_is_said(visit):
    page = visit()
    choose(page, "Wall")
    click_cell(page, 3, 6)
    click_cell(page, 6, 2)
    problems = page.get_by_role("list", name="Problems of the map")
    assert soon(lambda: "goal 2 cannot be reached" in problems.inner_text().lower())
    click_cell(page, 1, 1)  # the start is painted over
    assert soon(lambda: "no start" in problems.inner_text())


def test_a_link_restores_everything(visit):
    page = visit()
    rows(page)
    choose(page, "Floor")
    click_cell(page, 4, 6)
    page.get_by_label("Task").select_option("every")
    page.get_by_role("combobox", name="Options", exact=True).select_option("covering")
    page.get_by_label("Discount").press("ArrowLeft")
    page.get_by_label("Difference").check()
    page.get_by_label("Same scale").uncheck()
    choose(page, "Parts")
    choose(page, "SVD vectors")
    assert soon(lambda: len(lab(page, "features")) == 12)
    page.get_by_role("button", name="Vector 3").click()
    page.get_by_role("tab", name="Watch").click()
    page.get_by_label("Episodes per goal").fill("6")
    page.get_by_label("Episodes per goal").press("Tab")
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    page.get_by_role("button", name="Goal switch").click()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Copy link").click()
    state, training = lab(page, "state"), lab(page, "training")
    assert state["episode"] >= 6

    hash = page.evaluate("location.hash").removeprefix("#")
    assert len(hash) < 300
    twin = visit(hash)
    assert lab(twin, "state") == state
    assert soon(lambda: lab(twin, "training"), 120)
    assert lab(twin, "training.steps") == training["steps"]
    assert lab(twin, "training.episode") == training["episode"]
    assert lab(twin, "state") == state
    page.get_by_role("tab", name="See").click()
    twin.get_by_role("tab", name="See").click()
    assert soon(lambda: len(lab(twin, "features")) == 12)
    assert lab(twin, "features") == lab(page, "features")


def run_script(page):
    """Return what the script in the dialog prints, run on its own."""
    page.get_by_role("button", name="Copy as Python").click()
    code = page.get_by_role("dialog").get_by_role("textbox").input_value()
    page.keyboard.press("Escape")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


def test_the_copied_script_gives_the_rows_shown(visit):
    page = visit("g=1&c=80")
    shown, printed = rows(page), run_script(page)
    # what is shown travelled as 32-bit floats
    assert printed["sr"] == pytest.approx(shown["sr"], rel=1e-6, abs=1e-9)
    assert printed["hsr"] == pytest.approx(shown["hsr"], rel=1e-6, abs=1e-9)


def test_the_copied_script_gives_the_parts_shown(visit):
    page = visit("v=parts&k=5")
    assert soon(lambda: len(lab(page, "features")) == 5)
    shown, printed = lab(page, "features"), run_script(page)["features"]
    for part, row in zip(shown, printed, strict=True):
        assert row == pytest.approx(part, rel=1e-6, abs=1e-6)


def test_two_agents_run_to_the_goal_switch(visit):
    page = visit("t=watch&ep=8&sp=20000")
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    assert soon(lambda: lab(page, "training.episode") >= 8, 60)
    assert "goal 2" in page.get_by_role("slider", name="Episode").get_attribute("aria-valuetext")
    assert soon(lambda: lab(page, "training.episode") == 15 and not lab(page, "training.playing"), 60)
    steps = lab(page, "training.steps")
    assert [len(one) for one in steps] == [16, 16]
    printed = run_script(page)
    assert [[*agent["steps"][0], *agent["steps"][1]] for agent in printed["agents"]] == steps
    assert printed["optimal"] == lab(page, "training.optimal")


def test_playback_is_watched_step_by_step(visit):
    page = visit("t=watch&ep=4&sp=60")
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    time.sleep(3.0)  # what is measured is time itself
    assert lab(page, "training.playing")
    MEDIANS["frames per second of playback"] = 1000 / statistics.median(lab(page, "timings.frames"))
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Restart").click()
    assert lab(page, "training.step") == 0
    page.get_by_role("button", name="Step", exact=True).click()
    assert soon(lambda: lab(page, "training.step") == 1)
    page.get_by_role("slider", name="Episode").press("ArrowRight")
    assert lab(page, "training.episode") == 1


def use_map(page, text):
    """Replace the map by a text."""
    if not page.get_by_role("button", name="Edit as text").is_visible():
        page.get_by_text("Other maps").click()
    page.get_by_role("button", name="Edit as text").click()
    page.get_by_role("dialog").get_by_role("textbox").fill(text)
    page.get_by_role("button", name="Use this map").click()


def test_a_goal_reached_with_the_last_step_that_was_allowed_is_no_episode_cut_off(visit):
    layout = hsr.GridLayout.from_text("S1\n2.")
    agent = hsr.LinearQ("sr", learning_rate=0.01, epsilon=0.1)
    tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    plain = hsr.train(hsr.grid_mdp(layout, discount=0.9), tasks, agent, seeds=[0], episodes=8, horizon=1)
    page = visit("t=watch&ep=8&ho=1&o=none", reduced_motion="reduce")
    use_map(page, layout.to_text())
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    words = []
    for _ in range(8):
        page.get_by_role("button", name="Step", exact=True).click()
        words.append(page.locator("#agent1").inner_text())
        page.get_by_role("slider", name="Episode").press("ArrowRight")
    assert ["goal reached" in text for text in words] == plain.terminated[0, 0].tolist()
    assert ["cut off" in text for text in words] == (~plain.terminated[0, 0]).tolist()
    assert 0 < plain.terminated[0, 0].sum() < 8


def test_episodes_that_a_diverged_run_left_out_are_not_said_to_reach_the_goal(visit):
    page = visit("t=watch&ep=200&ho=5000&o=none&d=0.99&r1=1", reduced_motion="reduce")
    use_map(page, "S1\n.2")
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    page.get_by_role("slider", name="Episode").press("End")
    assert soon(lambda: "Step 0 of 0, left out" in page.locator("#agent1").inner_text())
    assert "grew without bound" in page.locator("#agent1").inner_text()


def test_a_run_that_the_server_keeps_no_longer_is_asked_for_with_patience(visit):
    page = visit("t=watch&ep=200&f1=onehot&f2=onehot&sp=2")
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    other = visit("t=watch&ep=1", reduced_motion="reduce")
    seed = other.locator("#panel-watch").get_by_label("Seed")
    for number in range(limits.RUNS_KEPT):
        seed.fill(str(number))
        seed.press("Tab")
        other.get_by_role("button", name="Let them learn").click()
        assert soon(lambda: lab(other, "training"), 120)
    began = time.monotonic()
    page.get_by_role("slider", name="Episode").press("End")
    page.get_by_role("button", name="Play").click()
    assert soon(lambda: "train again" in page.locator("#message").inner_text())
    page.wait_for_timeout(2000)
    assert rate(visit.sent, began) < limits.MESSAGES_PER_SECOND / 2


def test_exploration_shows_coverage(visit):
    page = visit("t=explore&xn=2000&xp=20000")
    page.get_by_role("button", name="Let them explore").click()
    assert soon(lambda: lab(page, "exploration"), 120)
    assert soon(lambda: lab(page, "exploration.time") == 2000, 30)
    found = lab(page, "exploration")
    assert len(found["coverage"]) == 4
    for coverage, first_visit in zip(found["coverage"], found["firstVisit"], strict=True):
        seen = sum(time >= 0 for time in first_visit) / len(first_visit)
        assert coverage[-1] == pytest.approx(seen)
        assert page.get_by_text(f"{round(100 * seen)} % of states seen").count()
    printed = run_script(page)
    assert [agent["first_visit"] for agent in printed["agents"]] == found["firstVisit"]
    page.get_by_role("button", name="Remove").first.click()
    assert lab(page, "exploration") is None
    assert page.get_by_role("button", name="Remove").count() == 3


@pytest.mark.parametrize(("tab", "words", "shown"), [("watch", "learn", "training"), ("explore", "explore", "exploration")])
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


def test_every_view_comes_up(visit):
    page = visit("b=1")
    rows(page)
    choose(page, "Options")
    assert soon(lambda: lab(page, "options") == 8)
    page.get_by_role("button", name="Option 3").click()
    assert lab(page, "state.option") == 2
    for kind in ("covering", "random", "none"):
        page.get_by_role("combobox", name="Options", exact=True).select_option(kind)
        assert soon(lambda kind=kind: lab(page, "options") == (0 if kind == "none" else 8))
    choose(page, "Matrices")
    assert soon(lambda: len(lab(page, "matrices")) == 2)
    choose(page, "Parts")
    assert soon(lambda: len(lab(page, "features")) == 12)
    assert page.locator("#message").inner_text() == ""


@pytest.mark.parametrize("name", ["PNG", "SVG", "Map file"])
def test_pictures_and_the_map_can_be_saved(visit, name):
    page = visit("v=options")
    assert soon(lambda: lab(page, "options") == 8)
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    content = Path(download.value.path()).read_bytes()
    if name == "Map file":
        assert content.decode() == lab(page, "state.map") + "\n"
    else:
        assert content.startswith(b"\x89PNG" if name == "PNG" else b"<svg")
        assert len(content) > 5000


def test_a_pasted_map_and_a_maze_replace_the_map(visit):
    page = visit()
    use_map(page, "S..\n.#1\n2..")
    assert lab(page, "state.map") == "S..\n.#1\n2.."
    assert len(rows(page)["sr"]) == 8
    use_map(page, "hello")
    assert "not a map" in page.locator("#message").inner_text()
    page.get_by_label("Preset").select_option("loop")
    assert soon(lambda: "######" in lab(page, "state.map"))
    page.get_by_role("button", name="Make maze").click()
    assert soon(lambda: len(lab(page, "state.map").split("\n")) == 21)
    assert {"S", "1", "2"} <= set(lab(page, "state.map"))
    page.get_by_role("spinbutton", name="Rows").fill("9")
    page.get_by_role("spinbutton", name="Rows").press("Tab")
    assert len(lab(page, "state.map").split("\n")) == 9


def test_an_error_is_a_calm_line(visit):
    page = visit("g=1")
    rows(page)
    choose(page, "Floor")
    click_cell(page, 3, 9)  # goal 1 is painted over, and the task is still goal 1
    assert soon(lambda: "goal 1" in page.locator("#message").inner_text())
    page.keyboard.press("Control+z")
    assert soon(lambda: page.locator("#message").inner_text() == "")


@pytest.mark.parametrize("tab", ["see", "watch", "explore"])
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (2560, "light")])
def test_nothing_scrolls_sideways(visit, tab, width, scheme):
    page = visit(f"t={tab}&di=1", width=width, height=740, color_scheme=scheme)
    for view in ("Rows", "Options", "Matrices", "Parts") if tab == "see" else ("",):
        if view:
            choose(page, view)
            page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.get_by_role("button", name="Light / dark").click()
    assert page.evaluate("document.documentElement.dataset.theme") != scheme


@pytest.mark.parametrize("tab", ["see", "watch", "explore"])
def test_tab_reaches_every_control(visit, tab):
    page = visit(f"t={tab}")
    page.get_by_text("Other maps").click()
    if tab == "see":
        rows(page)
    wanted = page.evaluate(f"() => {{ window.wanted = ({CONTROLS})(); return window.wanted.length }}")
    unnamed = """() => window.wanted.filter((c) => !(c.getAttribute('aria-label') || c.textContent || c.labels?.length
        || c.closest('[aria-label]'))).length"""
    assert page.evaluate(unnamed) == 0
    page.evaluate("document.activeElement.blur(); window.reached = new Set()")
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        page.evaluate("window.reached.add(document.activeElement)")
    missed = page.evaluate("window.wanted.filter((c) => !window.reached.has(c)).map((c) => c.outerHTML.slice(0, 120))")
    assert missed == []


def test_arrows_move_the_cursor(visit):
    page = visit()
    before = rows(page)["state"]
    page.get_by_role("application", name="HSR").focus()
    page.keyboard.press("ArrowDown")
    assert soon(lambda: lab(page, "rows.state") != before)
    assert f"State {lab(page, 'rows.state')}: row 4, column 5" in page.locator("#described").inner_text()
    editor(page).focus()
    page.keyboard.press("ArrowUp")
    assert soon(lambda: lab(page, "rows.state") == before)
    choose(page, "Wall")
    editor(page).focus()
    page.keyboard.press("Space")
    assert lab(page, "state.map").split("\n")[3][5] == "#"


def test_the_page_comes_back_when_the_line_drops(visit):
    page = visit()
    rows(page)
    page.context.set_offline(True)
    page.evaluate("hsrLab.drop()")
    assert soon(lambda: "The line to the lab is down" in page.locator("#message").inner_text())
    page.context.set_offline(False)
    page.evaluate("hsrLab.look(15)")
    assert soon(lambda: lab(page, "rows.state") == 1)
    assert page.locator("#message").inner_text() == ""


def rate(sent, began):
    """Return the messages a second since a moment."""
    return sum(at > began for at in sent) / (time.monotonic() - began)


def test_a_long_fast_playback_keeps_to_the_pace_of_the_server(visit):
    page = visit("t=watch&ep=200&sp=20000")
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    began = time.monotonic()
    assert soon(lambda: not lab(page, "training.playing"), 60)
    assert lab(page, "training.episode") == 399
    assert rate(visit.sent, began) < limits.MESSAGES_PER_SECOND / 2  # the other half is left for edits
    assert page.locator("#message").inner_text() == ""


def test_hovering_keeps_to_the_pace_of_the_server(visit):
    page = visit()
    rows(page)
    box = page.get_by_role("application", name="HSR").bounding_box()
    began = time.monotonic()
    for n in range(300):
        page.mouse.move(
            box["x"] + box["width"] * (0.15 + 0.2 * (n % 7) / 7), box["y"] + box["height"] * (0.15 + 0.2 * (n % 11) / 11)
        )
    assert rate(visit.sent, began) < limits.MESSAGES_PER_SECOND / 2  # the other half is left for edits
    assert soon(lambda: page.evaluate("hsrLab.rows.state === hsrLab.looked"))
    assert page.locator("#message").inner_text() == ""


def test_motion_is_reduced_on_request(visit):
    page = visit("t=watch&ep=2", reduced_motion="reduce")
    page.get_by_role("button", name="Let them learn").click()
    assert soon(lambda: lab(page, "training"), 120)
    assert not lab(page, "training.playing")


def test_the_widget_shows_rows_that_a_kernel_sends(browser):
    source = Path(hsr.lab.__file__).with_name("static") / "widget.js"
    code = base64.b64encode(source.read_bytes()).decode()
    answers = Answers()
    world = {"map": hsr.load_layout("four_rooms").to_text(), "discount": 0.9}
    check = answers.answer(read_request(json.dumps({"id": 0, "do": "check", "map": world["map"]})))
    page, faults = browser.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.expose_function(
        "kernel", lambda asked: {"id": asked["id"], "ok": True, **answers.answer(read_request(json.dumps(asked)))}
    )
    page.set_content("<div id='root'></div>")
    page.evaluate(
        """async ([code, traits]) => {
            const { default: widget } = await import(`data:text/javascript;base64,${code}`);
            const hearers = {};
            window.model = {
                get: (name) => traits[name],
                on: (event, hear) => (hearers[event] = hear),
                off: (event) => delete hearers[event],
                send: async (asked) => { const reply = await window.kernel(asked); hearers["msg:custom"]?.(reply); },
            };
            window.leave = widget.render({ model: window.model, el: document.getElementById("root") });
        }""",
        [code, {"world": world, "check": check}],
    )
    words = page.locator("#root p")
    assert soon(lambda: words.inner_text().startswith("State 0."))
    page.get_by_role("application", name="HSR").press("ArrowRight")
    assert soon(lambda: words.inner_text().startswith("State 1."))
    page.evaluate("window.leave()")
    assert page.evaluate("document.getElementById('root').childElementCount") == 0
    assert faults == []
    page.close()


def test_an_edit_is_answered_at_once(visit, capsys):
    page = visit()
    page.get_by_text("Other maps").click()
    page.get_by_role("button", name="Make maze").click()
    assert soon(lambda: len(lab(page, "state.map").split("\n")) == 21)
    rows(page)
    page.evaluate("hsrLab.timings.editToRow.length = 0")
    choose(page, "Floor")
    pillars = [(row, column) for row in range(4, 18, 2) for column in range(4, 18, 4)]  # walls in every maze
    for n, (row, column) in enumerate(pillars):
        click_cell(page, row, column)
        assert soon(lambda n=n: len(lab(page, "timings.editToRow")) > n)
    MEDIANS["ms from an edit in a 21 x 21 maze to the new HSR row"] = statistics.median(lab(page, "timings.editToRow"))
    with capsys.disabled():
        for what, median in MEDIANS.items():
            sys.stdout.write(f"\nmedian {median:.1f} {what}")
        sys.stdout.write("\n")
