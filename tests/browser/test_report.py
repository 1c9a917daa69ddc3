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
    assert page.evaluate("document.images.length") == 1
    assert page.evaluate(
        "[...document.images].every(image => image.complete && image.naturalWidth > 0)"
    )
    assert (
        page.evaluate("document.documentElement.scrollWidth") <= width
    )  # only the table scrolls sideways
    names = """[...document.querySelectorAll('#ledger > tbody > tr')].filter(row => !row.hidden)
        .map(row => row.cells[0].querySelector('code').textContent)"""
    own = [claim.id for claim in catalogue.find(SHOWN).claims]
    assert page.evaluate(names) == own
    page.get_by_role("button", name="claim", exact=True).click()
    assert page.evaluate(names) == sorted(own)
    page.select_option("#filter", "opposite")
    shown = page.evaluate(names)
    assert set(shown) <= set(own)
    assert page.inner_text("#count") == f"{len(shown)} of {len(own)} claims"
    assert faults == []
    page.close()
