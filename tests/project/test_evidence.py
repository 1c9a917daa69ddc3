"""Pages state numbers and verdicts of the stored evidence, which is of one state of the code."""

import re
import subprocess
import warnings

import pytest
from studies.pages import MARKERS, PAGES, ROOT, STUDIES, blocks, read_json, summary_in

from hsr.experiments import catalogue, durations
from hsr.experiments.store.sources import source_hash
from hsr.experiments.summary import between_markers, parts_of
from studies import evidence

DOCS = ROOT / "docs"
CITING = ("README.md", *(f"docs/{name}.md" for name in ("results", "choosing", "agents")))
CITING += tuple(f"docs/{page}" for page, _ in STUDIES.values())
CITED = re.compile(r"`([a-z0-9-]+)`\]\([\w/]*?(\w+)\.md#([a-z0-9-]+)\): ([^()]+)\)")


@pytest.fixture(scope="module")
def manifest():
    """What each step was made by."""
    return read_json(DOCS / "manifest.json")


@pytest.fixture(scope="module")
def ledger():
    """The claims of the paper."""
    return {row["claim"]: row for row in summary_in(DOCS / "results").rows}


@pytest.fixture(scope="module")
def own():
    """The claims of the studies."""
    found = (DOCS / f"results/{name}.json" for name in STUDIES)
    return {
        row["claim"]: row for path in found if path.exists() for row in read_json(path)["claims"]
    }


def test_every_page_is_what_the_committed_data_give():
    for path, block in blocks().items():
        assert str(path.relative_to(ROOT)) in PAGES
        text = path.read_text(encoding="utf-8")
        assert text == between_markers(text, MARKERS, block), path


def test_the_evidence_is_of_one_state_of_the_code_and_pages_name_it(manifest):
    of_ledger = {manifest[name]["sources"] for name in catalogue.names() if name in manifest}
    assert len(of_ledger) <= 1
    for name, entry in manifest.items():
        pages = [f"docs/results/{name}.md"] if name in catalogue.names() else []
        pages += [f"docs/{STUDIES[name][0]}"] if name in STUDIES else []
        for page in pages:
            text = (ROOT / page).read_text(encoding="utf-8")
            assert f"sources {entry['sources']} ([manifest](" in text, page
        assert entry["commit"]


@pytest.mark.filterwarnings("default:evidence was made by")
def test_a_change_of_the_sources_since_then_is_only_a_warning(manifest):
    old = sorted({one["sources"] for one in manifest.values()} - {source_hash()})
    if old:
        warnings.warn(f"evidence was made by the sources {', '.join(old)}", stacklevel=1)


def test_everything_takes_three_hours_on_two_cores_at_most(manifest, monkeypatch):
    monkeypatch.setattr(durations, "cache_folder", lambda: None)  # what this machine measured
    known = [one for one in evidence.STEPS if one.name in manifest and not one.gpu]
    entries = [(one, manifest[one.name]) for one in known]
    seconds = [evidence.seconds_of(one, entry, entry["runs"], "paper") for one, entry in entries]
    assert sum(seconds) <= 2 * 3 * 3600


@pytest.mark.parametrize("page", CITING)
def test_cited_claims_have_their_verdicts(page, ledger, own):
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    for claim, target, anchor, words in CITED.findall(text):
        assert (ledger[claim]["experiment"], claim) == (target, anchor)
        assert words == parts_of(ledger[claim]), claim
    for claim, words in re.findall(r"`([a-z0-9-]+)` \(([a-z0-9 ]+)\)", text):
        if claim in own:
            assert words == parts_of(own[claim]), claim


def test_only_committed_code_makes_evidence(tmp_path):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    code, page = tmp_path / "src/a.py", tmp_path / "docs/manifest.json"
    for path in (code, page):
        path.parent.mkdir()
        path.write_text("1")
    (tmp_path / ".gitignore").write_text("*.pyc\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    first = evidence.commit(tmp_path)
    assert re.fullmatch("[0-9a-f]{12}", first)
    page.write_text("2")  # which the command writes itself
    (tmp_path / "src/a.pyc").write_text("ignored")
    assert evidence.commit(tmp_path) == first
    code.write_text("2")
    with pytest.raises(SystemExit, match=r"commit your changes first: src/a\.py changed since"):
        evidence.commit(tmp_path)
    git("commit", "-a", "-m", "second")
    assert evidence.commit(tmp_path) != first
    (tmp_path / "src/b.py").write_text("new")
    with pytest.raises(SystemExit, match=r"src/b\.py"):
        evidence.commit(tmp_path)


def test_a_step_is_run_once_and_its_pages_can_be_written_elsewhere(tmp_path, capsys):
    root, store = tmp_path / "root", tmp_path / "store"
    data = ("manifest.json", "results/ledger.json", "results/panels.json")
    for path in [*blocks(), *(DOCS / name for name in data)]:
        copied = root / path.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(path.read_bytes())
    where = ["--preset", "smoke", "--root", str(root), "--workers", "1"]
    only = [*where, "--only", "spectra", "--store", str(store)]
    assert evidence.main(only) == 0
    assert capsys.readouterr().out.count(": finished") == 1
    assert evidence.main(only) == 0
    said = capsys.readouterr().out
    assert said.count("  finished") == 1
    assert "begins" not in said
    assert "the ledger is not written: experiments missing" in said
    found = read_json(store / "found/spectra/rows.json")
    assert [row["claim"] for row in found] == ["spectrum-tail"]
