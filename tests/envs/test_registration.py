"""`import hsr.envs` registers the environments with Gymnasium, in a fresh process."""

import subprocess
import sys

import hsr


def output_of(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_importing_the_package_registers_one_id_for_every_layout():
    """Importing it again is silent: a warning is an error here."""
    camel = ["".join(word.capitalize() for word in name.split("_")) for name in hsr.layout_names()]
    code = (
        "import gymnasium, hsr.envs, importlib\n"
        "importlib.reload(hsr.envs)\n"
        "for name in gymnasium.registry:\n"
        "    if name.startswith('hsr/'):\n"
        "        print(name, gymnasium.make(name).unwrapped.layout.name)"
    )
    words = output_of(code)
    assert words[::2] == [f"hsr/{name}-v0" for name in ["GridWorld", *camel, "PointMaze"]]
    assert words[1::2] == ["four_rooms", *hsr.layout_names(), "four_rooms"]


def test_gymnasium_imports_the_package_by_itself():
    code = (
        "import gymnasium\n"
        "print(gymnasium.make('hsr.envs:hsr/GridWorld-v0', layout='loop').unwrapped.layout.name)\n"
        "print(gymnasium.make_vec('hsr.envs:hsr/Corridor-v0', num_envs=2).layout.name)"
    )
    assert output_of(code) == ["loop", "corridor"]
