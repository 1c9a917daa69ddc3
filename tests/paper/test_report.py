"""The report: written from a store alone, complete without a network, and clear about gaps."""

import re
from dataclasses import replace

import pytest
from PIL import Image

from hsr.paper import catalogue, report
from hsr.paper.holdings import ledger_of
from hsr.paper.ledger import WORDS
from hsr.paper.ledger_file import read_ledger
from hsr.paper.results_page import FIGURE_MARKERS, MARKER, README_MARKERS, write_results_page
from hsr.paper.runner import ask, result_of
from hsr.paper.store import Store, made_by
from hsr.paper.summary import lines_of
from tests.paper.experiment_runs import records, stored, tiny

NAME = "online_transfer"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that has a tiny version of one experiment only."""
    found = stored(tmp_path_factory.mktemp("report") / "store", records(NAME).values())
    ask(found, catalogue.find(NAME), tiny(NAME), "smoke")
    return found


@pytest.fixture(scope="module")
def page(store):
    """The report of the store."""
    folder = store.folder.parent
    one, again = (
        report.write_report(report.contents_of(store), folder / name).read_bytes()
        for name in ("out", "again")
    )
    assert one == again
    return one.decode("utf-8")


def test_claims_of_what_was_run_have_a_row_and_others_none(page):
    rows = re.findall(r'<tr data-verdict="([a-z ]+)"><td><code>([a-z0-9-]+)</code>', page)
    assert [name for _, name in rows] == [one.id for one in catalogue.find(NAME).claims]
    words = {name: word for word, name in rows}
    assert words["online-stability"] == "cannot tell"  # in four worlds


def test_pictures_are_inside_and_nothing_is_fetched(page):
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "http" not in page.replace("http-equiv", "")


def test_a_row_says_what_was_found_in_one_sentence_and_leads_to_its_figure(page):
    (row,) = re.findall(r"<tr[^>]*><td><code>online-stability</code>.*?</tr>", page, re.DOTALL)
    assert 'href="#online_transfer"' in row
    assert '<section id="online_transfer">' in page
    assert re.search(r"correction|claimed|other way|uncertain", row)
    assert re.search(
        r"\(Cohen&#39;s d_z = .*, corrected p = .*, 4 worlds x 3 seeds\)\.<details>", row
    )
    (row,) = re.findall(r"<code>online-stability</code>.*?(?=<tr data-verdict)", page, re.DOTALL)
    assert "<td>relative change of the map</td>" in row
    assert "<td>change of the map over its way from the start</td>" in row
    assert re.search(r'tuned step sizes: <span class="verdict', row)
    assert re.search(
        r'<span class="verdict cannot-tell">cannot tell</span><br>cannot tell at the given '
        r"rate; at tuned rates: cannot tell; in slip 0.1: cannot tell; in slip 0.2: cannot tell",
        row,
    )
    assert re.search(r"<td>\d+%</td><td>0%</td><td>\d+% / \d+%</td>", row)


def test_every_verdict_can_be_filtered(page):
    (shown,) = re.findall(r'<select id="filter">(.*?)</select>', page)
    assert re.findall(r"<option>(.*?)</option>", shown) == list(WORDS)
    assert ".cannot-tell {" in page


def test_the_report_of_four_worlds_begins_by_saying_that_it_is_no_evidence(page):
    before, banner, after = page.partition(
        "Nothing here is evidence. No test of 4 worlds can be significant: its smallest p-value is "
        "0.12. Use --preset paper."
    )
    assert banner
    assert "<table" not in before
    assert "<table" in after


def test_a_figure_comes_with_its_caption_settings_worlds_seeds_and_command(page):
    assert "<figcaption><b>a</b> The four rooms" in page
    assert (
        f"128 runs, worlds 0-3, 3 seeds each. Made by: 128 runs by {made_by()}. "
        "Get it with <code>hsr run online_transfer --preset smoke --seeds 3 --set" in page
    )
    assert "&#34;controls&#34;: {\n  &#34;tuned step sizes&#34;" in page
    assert "&#34;numba&#34;" in page


def test_the_report_says_which_code_made_its_runs(page, store, tmp_path):
    assert f"computed from the runs in the store: 128 runs by {made_by()}." in page
    assert ledger_of(store).made_by == {made_by(): 128}
    mixed, makers = Store(tmp_path / "mixed"), ("hsr 0.0.1, sources 0123456789ab", made_by())
    for i, record in enumerate(store.records()):
        mixed.put(replace(record, made_by=makers[i % 2]))
    ask(mixed, catalogue.find(NAME), tiny(NAME), "smoke")
    rows, counts, _ = ledger_of(mixed)
    assert counts == dict.fromkeys(makers, 64)
    assert rows == ledger_of(store).rows


def test_a_run_that_a_control_shares_is_read_once(store, monkeypatch):
    read, get = [], Store.get
    monkeypatch.setattr(Store, "get", lambda self, key: read.append(key) or get(self, key))
    assert result_of(catalogue.find(NAME), tiny(NAME), store) is not None
    assert sorted(read) == store.keys()  # each of them, none twice


@pytest.fixture(scope="module")
def results(store, tmp_path_factory):
    """A folder with the results page of the store, the pages of its figures, and a README."""
    folder = tmp_path_factory.mktemp("results")
    readme = folder / "README.md"
    readme.write_text(" old ".join(("mine\n", *README_MARKERS, "\nmine\n")), encoding="utf-8")
    write_results_page(store, "smoke", folder / "results.md", readme)
    return folder


def test_what_was_written_by_hand_on_the_pages_is_kept(store, tmp_path):
    path, figure = tmp_path / "results.md", tmp_path / "results" / f"{NAME}.md"
    first = write_results_page(store, "smoke", path).read_text(encoding="utf-8")
    of_figure = figure.read_text(encoding="utf-8")
    assert first.startswith(f"# What reproduces\n\n{MARKER}\n\n**Nothing here is evidence.")
    assert "\n\n## What has no evidence\n\n| claim |" in first
    title = "# Figure 2a-h: two goals in sequence, with maps learned online\n\n"
    assert of_figure.startswith(f"{title}{FIGURE_MARKERS[0]}\n\n![")
    mine = first.replace("# What reproduces", "# Mine\n\nBy hand.")
    path.write_text(mine, encoding="utf-8")
    by_hand = "What I found.\n\nTwo paragraphs about it.\n\n"
    figure.write_text(of_figure.replace(title, f"# Another title\n\n{by_hand}"), encoding="utf-8")
    again = write_results_page(store, "smoke", path).read_text(encoding="utf-8")
    assert again == mine
    assert figure.read_text(encoding="utf-8") == of_figure.replace(title, title + by_hand)


def test_the_results_page_leads_to_every_figure_and_claim(results):
    page = (results / "results.md").read_text(encoding="utf-8")
    text = (results / "results" / f"{NAME}.md").read_text(encoding="utf-8")
    for name in catalogue.names():
        assert f"](results/{name}.md) | {catalogue.find(name).title} |" in page
        assert re.search(rf"^Figure \S.* <results/{name}>$", page, re.M)
    for name in catalogue.names():
        for claim in catalogue.find(name).claims:
            assert (f"\n### {claim.id}\n\n{claim.text} (Paper: " in text) == (name == NAME)
            assert f"| [`{claim.id}`](results/{name}.md#{claim.id}) | {claim.text} | " in page


def test_the_pages_the_readme_and_the_ledger_next_to_them_say_the_same(results, store):
    rows = read_ledger(results / "results" / "ledger.json")
    assert [row for row in rows if row["comparisons"]] == ledger_of(store).rows
    text = (results / "results" / f"{NAME}.md").read_text(encoding="utf-8")
    drawn, by_ledger = text.partition(FIGURE_MARKERS[0])[2].split(FIGURE_MARKERS[1])
    tested = [row for row in rows if row["comparisons"]]
    assert tested
    for row in tested:
        for one in (*row["comparisons"], *row["also"]):
            for line in lines_of(one):
                assert f"\n| {' | '.join(line.values())} |\n" in by_ledger
        assert all(f"{name}: {word}" in by_ledger for name, word in row["controls"].items())
    assert f"]({NAME}.png)\n\n**a** The four rooms" in drawn
    assert "\n%" not in drawn  # a line that begins with it would be a comment
    assert "128 runs, worlds 0-3, 3 seeds each: `hsr run online_transfer --preset smoke" in drawn
    assert f"`. Made by: 128 runs by {made_by()}.\n" in drawn
    written = (results / "README.md").read_text(encoding="utf-8")
    assert written.startswith("mine\n")
    assert written.endswith("\nmine\n")
    assert " old " not in written.partition(README_MARKERS[0])[2].partition(README_MARKERS[1])[0]
    assert "What cannot be told" in written
    with Image.open(results / "results" / f"{NAME}.png") as picture:
        assert picture.mode == "P"
        assert picture.size[0] >= 160 * 10
