"""The page of the lab as tests use it: what it shows, its controls, and the faults that it has."""

from urllib.parse import urlsplit

from tests.waiting import soon


class LabPage:
    """A page of the browser that shows the lab. What is not defined here is Playwright's.

    `faults` holds every error and warning of the page, and every request to another server.
    """

    def __init__(self, page, address):
        self.page, self.host, self.faults = page, urlsplit(address).netloc, []
        page.on("console", self._check_type)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._check_url)

    def _check_type(self, message):
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _check_url(self, request):
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.netloc != self.host:
            self.faults.append(request.url)

    def __getattr__(self, name):
        return getattr(self.page, name)

    def get(self, what):
        """Return what the page shows, as an expression of the properties of `hsrLab`."""
        return self.page.evaluate(f"(() => {{ with (hsrLab) return {what}; }})()")

    def until(self, condition, seconds=120):
        """Wait until such an expression is true."""
        assert soon(lambda: self.get(condition), seconds), condition

    def says(self, words, where="#message", seconds=120):
        """Wait until some element, by default the line of messages, has these words."""
        place = self.page.locator(where) if isinstance(where, str) else where
        assert soon(lambda: any(words in text for text in place.all_inner_texts()), seconds), words

    def rows(self):
        """Return the rows shown, once they belong to the maze as it is drawn."""
        self.until("rows !== null && rows.map === state.map")
        return self.get("rows")

    def press(self, name, role="button", **how):
        """Press a button, which may be in the menu of the header."""
        target = self.page.get_by_role(role, name=name, **how)
        if not target.is_visible():
            self.page.get_by_text("Save and share").click()
        target.click()

    def choose(self, name):
        self.page.get_by_role("radio", name=name, exact=True).check(force=True)

    def enter(self, label, text):
        field = self.page.get_by_label(label).first
        field.fill(text)
        field.press("Tab")

    def box(self, label):
        return self.page.get_by_role("combobox", name=label, exact=True)

    def slider(self, name):
        return self.page.get_by_role("slider", name=name, exact=True)

    def picture(self, name):
        return self.page.get_by_role("application", name=name)

    def pixels(self, name):
        return self.picture(name).evaluate("(canvas) => canvas.toDataURL()")

    def place(self, row, column, picture="Your maze", bar=0):
        """Return x, y and width of a cell of a picture, which is centred above its colour bar."""
        box = self.picture(picture).bounding_box()
        lines = self.get("state.map").split("\n")
        high = box["height"] - bar
        size = int(min(box["width"] / len(lines[0]), high / len(lines)))  # whole pixels
        left = box["x"] + int((box["width"] - size * len(lines[0])) / 2)
        return left + (column + 0.5) * size, box["y"] + (row + 0.5) * size, size

    def click_cell(self, row, column):
        self.page.mouse.click(*self.place(row, column)[:2])

    def learn(self):
        """Train the agents, and wait until they have learned."""
        self.press("Let them learn")
        self.until("training")

    def script(self):
        """Return the script that the page offers."""
        self.press("Copy as Python")
        code = self.page.get_by_role("dialog").get_by_role("textbox").input_value()
        self.page.keyboard.press("Escape")
        return code

    def use_maze(self, text):
        """Replace the maze by a text."""
        if not self.page.get_by_role("button", name="Edit as text").is_visible():
            self.page.get_by_text("Other mazes").click()
        self.press("Edit as text")
        self.page.get_by_role("dialog").get_by_role("textbox").fill(text)
        self.press("Use this maze")
