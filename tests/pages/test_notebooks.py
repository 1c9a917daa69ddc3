"""The cells of the notebooks for Google Colab run one after another. Run by `make docs`."""

import ast
import json

import matplotlib.pyplot as plt
import nbformat
import pytest
from release.notebooks import FOLDER, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_cells_of_a_notebook_run(name, tmp_path, monkeypatch):
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    nbformat.validate(nbformat.reads(text, as_version=4))
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    codes = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    install, *codes = ("".join(lines) for lines in codes)
    assert "hsr-rl" in install
    names, ran = {"__name__": "notebook"}, 0
    for code in codes:
        ran += len(ast.parse(code).body)
        exec(compile(code, name, "exec"), names)
    assert ran > 10
    plt.close("all")
