"""The notebooks for Google Colab: made from pages, and their cells run one after another."""

import ast
import json

import matplotlib.pyplot as plt
import nbformat
import pytest
from release.notebooks import FOLDER, PAGES, notebook


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_holds_its_page_and_runs(name, tmp_path, monkeypatch):
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert text == notebook(name), "python release/notebooks.py"
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
