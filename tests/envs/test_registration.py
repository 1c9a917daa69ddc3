"""Gymnasium knows the environments once `hsr` is imported, in whatever order, and `import hsr`
stays cheap.
"""

import subprocess
import sys

import pytest

import hsr

SHOW = "print(*(name for name in gymnasium.registry if name.startswith('hsr/')))"


def output_of(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def expected_ids():
    camel = ["".join(word.capitalize() for word in name.split("_")) for name in hsr.layout_names()]
    return [f"hsr/{name}-v0" for name in ["GridWorld", *camel]]


@pytest.mark.parametrize(
    "imports",
    ["import gymnasium, hsr", "import hsr, gymnasium", "import hsr, gymnasium.spaces, gymnasium"],
)
def test_every_map_has_an_id_whichever_package_is_imported_first(imports):
    assert output_of(f"{imports}\n{SHOW}") == expected_ids()


def test_gymnasium_finds_the_module_by_itself():
    code = 'import gymnasium\nprint(gymnasium.make("hsr:hsr/FourRooms-v0").unwrapped.layout.name)'
    assert output_of(code) == ["four_rooms"]


def test_each_id_has_its_own_map():
    code = (
        f"import hsr, gymnasium\nfor name in {expected_ids()[1:]}: "
        "print(gymnasium.make(name).unwrapped.layout.name)"
    )
    assert output_of(code) == list(hsr.layout_names())


def test_importing_hsr_brings_neither_gymnasium_nor_numpy():
    assert output_of("import hsr, sys\nprint({'gymnasium', 'numpy'} & set(sys.modules))") == [
        "set()"
    ]


def test_waiting_for_gymnasium_costs_no_import():
    """What `import hsr` adds to a bare interpreter holds neither `importlib.abc` nor what that
    brings.
    """
    added = set(output_of("import hsr, sys\nprint(*sys.modules)")) - set(
        output_of("import sys, typing\nprint(*sys.modules)")
    )
    assert "hsr._base.import_hook" in added
    assert not added & {"importlib.abc", "importlib.resources", "tempfile"}


def test_importing_hsr_after_gymnasium_brings_no_compiler():
    assert output_of(
        "import gymnasium, hsr, sys\nprint({'numba', 'scipy', 'hsr.mdp'} & set(sys.modules))"
    ) == ["set()"]


def test_asking_whether_gymnasium_is_there_does_not_use_up_the_registration():
    code = (
        "import hsr, importlib.util\nassert importlib.util.find_spec('gymnasium')\nimport "
        f"gymnasium\n{SHOW}"
    )
    assert output_of(code) == expected_ids()


def test_gymnasium_keeps_its_own_loader_and_nothing_stays_behind():
    code = (
        "import sys\nbefore = len(sys.meta_path)\nimport hsr, gymnasium\n"
        "print(type(gymnasium.__spec__.loader).__name__, type(gymnasium.__loader__).__name__, "
        "len(sys.meta_path) - before)"
    )
    assert output_of(code) == ["SourceFileLoader", "SourceFileLoader", "0"]


def test_a_failed_import_is_tried_again():
    code = (
        "import builtins, sys\nfrom hsr._base.import_hook import when_imported\nimport pathlib, "
        "tempfile\n"
        "folder = pathlib.Path(tempfile.mkdtemp()); file = folder / 'shaky.py'; "
        "sys.path.insert(0, str(folder))\n"
        "sys.dont_write_bytecode = True\nfile.write_text('1 / 0')\nwhen_imported('shaky', lambda: "
        "print('there'))\n"
        "try:\n    import shaky\nexcept ZeroDivisionError:\n    print('failed')\n"
        "file.write_text('x = 1  # now it is whole')\nimport shaky\nprint(shaky.x)"
    )
    assert output_of(code) == ["failed", "there", "1"]


def test_registering_again_is_silent():
    assert output_of("import gymnasium, hsr, importlib\nimportlib.reload(hsr)\nprint('quiet')") == [
        "quiet"
    ]
