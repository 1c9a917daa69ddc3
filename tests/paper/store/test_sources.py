"""The hash of the sources: it changes with every file that may change a run, and with no other."""

import re
import shutil
import zipfile
from pathlib import Path

import pytest

import hsr
from hsr.paper.store import made_by, provenance, source_hash
from hsr.paper.store.sources import LEFT_OUT, _sources, hash_of, origin_of
from tests.cases import cases

PACKAGE = Path(hsr.__file__).parent
FILES = {
    "__init__.py": "",
    "kernels/td.py": "x = 1\n",
    "grids/mazes/loop.txt": "###\n",
    "paper/experiments/gpi/figure.py": "",
    "paper/report.py": "",
    "lab/server.py": "",
}


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "package"


def test_the_hash_of_this_package_is_part_of_what_makes_a_run():
    assert re.fullmatch("[0-9a-f]{12}", source_hash())
    assert made_by() == f"hsr {hsr.__version__}, sources {source_hash()}"
    assert source_hash() == hash_of(PACKAGE) == provenance()["sources"]


@cases(
    ("name", "text"),
    {
        "a module": ("kernels/td.py", "x = 2\n"),
        "a maze": ("grids/mazes/loop.txt", "#.#\n"),
        "an empty module": ("kernels/new.py", ""),
        "a module without its source": ("kernels/compiled.pyc", "x"),
    },
)
def test_what_may_change_a_run_changes_the_hash(name, text, package):
    before = hash_of(package)
    (package / name).write_text(text)
    assert hash_of(package) != before


def test_a_renamed_module_changes_the_hash(package):
    before = hash_of(package)
    (package / "kernels" / "td.py").rename(package / "kernels" / "te.py")
    assert hash_of(package) != before


def test_text_that_moves_from_one_file_to_the_next_changes_the_hash(package):
    (package / "kernels" / "a.py").write_text("x = 1\ny = 2\n")
    before = hash_of(package)
    (package / "kernels" / "a.py").write_text("x = 1\n")
    (package / "kernels" / "td.py").write_text("y = 2\nx = 1\n")
    assert hash_of(package) != before


@pytest.mark.parametrize(
    "name",
    [
        "kernels/__pycache__/td.cpython-311.pyc",
        "kernels/.td.py.swp",
        "lab/server.py",
        "lab/more/page.py",
        "paper/report.py",
        "paper/experiments/gpi/figure.py",
        "paper/world_panels.py",
    ],
)
def test_what_cannot_change_a_run_leaves_the_hash(name, package):
    before = hash_of(package)
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text("other")
    assert hash_of(package) == before


def test_neither_the_order_of_files_nor_their_times_matter(package, tmp_path):
    again = tmp_path / "again"
    for name in reversed(FILES):
        (again / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(package / name, again / name)
    assert hash_of(again) == hash_of(package)


def test_a_package_in_a_zip_file_has_the_same_hash(package, tmp_path):
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as file:
        for name in reversed(FILES):
            file.write(package / name, f"package/{name}")
    assert hash_of(zipfile.Path(tmp_path / "package.zip", "package/")) == hash_of(package)


@cases(
    ("counts", "sentence"),
    {
        "one": ({"hsr 1": 2000}, "They were made by hsr 1."),
        "unknown": ({"": 3}, "Which code made them was not recorded."),
        "mixed": (
            {"": 3000, "hsr 1": 1, "hsr 2": 5},
            "Different code made them: 5 runs by hsr 2; 1 run by hsr 1; "
            "3,000 runs by code that was not recorded.",
        ),
    },
)
def test_a_sentence_says_which_code_made_runs(counts, sentence):
    assert origin_of(counts) == sentence


def test_everything_that_is_left_out_exists():
    assert [name for name in LEFT_OUT if not (PACKAGE / name).exists()] == []


def test_nothing_that_counts_imports_what_is_left_out():
    """Two packages import everything, but only names that someone asks for.

    Two methods of a layout make it an environment of another package. No run calls them.
    """
    counted = dict(_sources(PACKAGE, "", whole=False))
    modules = {path.removesuffix(".py").removesuffix("/__init__") for path in counted}
    pattern = re.compile(r"^ *(?:from|import) hsr\.([\w.]+)", re.MULTILINE)
    found = {
        (path, module.replace(".", "/"))
        for path, file in counted.items()
        if path not in ("__init__.py", "paper/__init__.py")
        for module in pattern.findall(file.read_text())
    }
    assert len(found) > 500
    made_elsewhere = {("grids/layout.py", "envs/minigrid_layout")}
    assert {pair for pair in found if pair[1] not in modules} == made_elsewhere
