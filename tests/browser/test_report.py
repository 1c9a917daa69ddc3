"""The report in a real browser: no fault, pictures load, the ledger sorts and filters; wide and
narrow, light and dark.
"""

import pytest

from hsr.experiments import catalogue, report
from hsr.experiments.runner import jobs_of, register
from hsr.experiments.store import Store

SHOWN = "spectra"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A report with one experiment in it."""
    folder = tmp_path_factory.mktemp("report")
    store, experiment = Store(folder / "store"), catalogue.find(SHOWN)
    for job in jobs_of(experiment, experiment.presets["smoke"]):
        for record in experiment(job.setting, job.seeds):
            store.put(record)
    register(store, experiment, experiment.presets["smoke"], "smoke")
    return report.write_report(report.contents_of(store), folder / "out")


def found_of(statement):
    """Return the verdict on a statement in the paper's setting."""
    return statement["columns"]["the paper's setting"][0]["verdict"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_report_works(browser, path, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    faults = []
    page.on(
        "console", lambda message: faults.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request",
        lambda request: faults.append(request.url) if request.url.startswith("http") else None,
    )
    page.goto(path.as_uri())
    assert page.evaluate("document.images.length") == 2  # the figure, and its statistics
    assert page.evaluate(
        "[...document.images].every(image => image.complete && image.naturalWidth > 0)"
    )
    assert (
        page.evaluate("document.documentElement.scrollWidth") <= width
    )  # only the table scrolls sideways
    rows = """[...document.querySelectorAll('#ledger > tbody > tr')].filter(row => !row.hidden)
        .map(row => row.cells[1].firstChild.textContent)"""
    numbers = report.contents_of(Store(path.parent.parent / "store", create=False)).summary
    verdict = {one["statement"]: found_of(one) for _, one in numbers.statements}
    assert page.evaluate(rows) == list(verdict)
    page.get_by_role("button", name="statement", exact=True).click()
    assert page.evaluate(rows) == sorted(verdict, key=str.casefold)
    page.select_option("#filter", "cannot tell")
    shown = page.evaluate(rows)
    assert sorted(shown) == sorted(name for name in verdict if verdict[name] == "cannot tell")
    assert page.inner_text("#count") == f"{len(shown)} of {len(verdict)} statements"
    assert faults == []
    page.close()
