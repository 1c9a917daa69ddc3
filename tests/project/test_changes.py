"""The changelog is made of fragments, and every stated version is the same."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from release.prove import tree

from hsr._base.version import __version__
from tests.project.tree import CONFIG, PROJECT, ROOT, text_of

TYPES = [kind["directory"] for kind in CONFIG["tool"]["towncrier"]["type"]]
FRAGMENTS = sorted(path for path in (ROOT / "changes").iterdir() if path.name != "README.md")
NUMBER = r"\d+\.\d+\.\d+(?:(?:a|b|rc|\.dev)\d+)?"
# What was written by an older version says so, and other projects have versions of their own.
OF_THE_PAST = {"CHANGELOG.md"}


def fragment_faults(path, text):
    """Return what is wrong with a fragment: its name, no text, or text that is a list already."""
    faults = []
    if not re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(TYPES)})\.md", path.name):
        faults.append(
            f"{path.name} is not named +some-words.TYPE.md with a TYPE of {', '.join(TYPES)}"
        )
    if not text.strip() or text.startswith(("-", "*", "#", " ")):
        faults.append(f"{path.name} must be plain sentences")
    return faults


def stated_versions(name, text):
    """Yield the versions of hsr that a file states, as text or in a field of its own."""
    yield from re.findall(rf"\bhsr(?:[-_]rl)?(?:[ =-]| version )+v?({NUMBER})\b", text)
    if name in {
        "CITATION.cff",
        "pyproject.toml",
        "docs/conf.py",
        "src/hsr/_base/version.py",
        "src/hsr/__init__.py",
    }:
        yield from re.findall(
            rf"^(?:__version__|version|release)\s*[:=]\s*[\"']?({NUMBER})", text, re.M
        )


# Fragments.


def test_types_are_those_of_keep_a_changelog():
    assert TYPES == ["added", "changed", "fixed", "removed"]


def test_every_fragment_has_a_known_type_and_says_something():
    assert [fault for path in FRAGMENTS for fault in fragment_faults(path, text_of(path))] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("+moon.improved.md", "The moon."),
        ("moon.added.md", "The moon."),
        ("+moon.added.txt", "The moon."),
        ("+moon.added.md", "\n"),
        ("+moon.added.md", "- The moon."),
    ],
)
def test_a_fragment_that_is_not_well_made_is_found(name, text):
    assert fragment_faults(Path(name), text) != []
    assert fragment_faults(Path("+moon.added.md"), "The moon.") == []


def test_a_release_puts_the_notes_above_the_older_ones_in_the_same_style(tmp_path):
    for name in ("CHANGELOG.md", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "+moon.added.md").write_text("The moon, which is\nround.\n")
    (tmp_path / "changes" / "+sun.fixed.md").write_text("The sun.\n")
    options = ["--keep", "--version", "7.8.9", "--date", "2030-01-02"]
    command = [sys.executable, "-m", "towncrier", "build", *options]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    before, after = (text_of(folder / "CHANGELOG.md") for folder in (ROOT, tmp_path))
    added, fixed = "- The moon, which is\n  round.", "- The sun."
    notes = f"## [7.8.9] - 2030-01-02\n\n### Added\n\n{added}\n\n### Fixed\n\n{fixed}\n"
    head, mark, rest = before.partition("<!-- towncrier release notes start -->\n")
    assert mark
    assert re.sub(r"\n{3,}", "\n\n", after) == f"{head}{mark}\n{notes}{rest}"


# Versions.


def test_every_place_that_states_the_version_states_the_same():
    found = {}
    for name in sorted(tree(ROOT)):
        if (
            name in OF_THE_PAST
            or name.startswith(("tests/", "web/", "requirements/"))
            or name.endswith((".png", ".svg"))
        ):
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        for version in stated_versions(name, text):
            found.setdefault(version, []).append(name)
    assert set(found) == {__version__}, found
    assert {"CITATION.cff", "src/hsr/_base/version.py"} <= set(found[__version__])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs/lab.md", "You need hsr 9.9.9 or newer."),
        ("README.md", "pip install hsr-rl==9.9.9"),
        ("CITATION.cff", "type: software\nversion: 9.9.9\n"),
        ("docs/conf.py", 'release = "9.9.9"\n'),
        ("pyproject.toml", '[project]\nversion = "9.9.9"\n'),
    ],
)
def test_a_version_that_is_stated_is_found(name, text):
    assert list(stated_versions(name, text)) == ["9.9.9"]


def test_the_newest_section_of_the_changelog_is_this_version():
    text = text_of("CHANGELOG.md")
    sections = re.findall(rf"^## \[({NUMBER})\] - \d{{4}}-\d\d-\d\d$", text, re.M)
    assert len(sections) == len(re.findall(r"^## ", text, re.M))
    if sections:
        assert sections[0] == __version__
    else:  # before the first release everything is in fragments
        assert FRAGMENTS


def test_the_version_is_written_in_one_file_of_the_package():
    assert "version" not in PROJECT
    assert PROJECT["dynamic"] == ["version"]
    assert CONFIG["tool"]["hatch"]["version"]["path"] == "src/hsr/_base/version.py"
