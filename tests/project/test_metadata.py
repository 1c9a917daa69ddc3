"""Files that archives, hosts and package managers read say what the project itself says."""

import json
import re
import subprocess
import tomllib

import hsr
from tests.project.tree import ROOT, text_of

ADDRESS = re.compile(r"(?:github(?:usercontent)?\.com|google\.com/github)/([\w.-]+)/hsr\b")
PROJECT = tomllib.loads(text_of("pyproject.toml"))["project"]


def cited(key, text=None):
    """Return the value of a line `key: value` of CITATION.cff, without quotes."""
    found = re.search(rf"^\s*(?:- )?{key}: *\"?(.*?)\"?$", text or text_of("CITATION.cff"), re.M)
    return found[1]


def test_the_archive_and_the_citation_agree():
    archive, citation = json.loads(text_of(".zenodo.json")), text_of("CITATION.cff")
    software, _, paper = citation.partition("preferred-citation:")
    manuscript = re.search(r"^title: '(.*)'$", text_of("manuscript/paper.md"), re.M)
    assert archive["title"] == cited("title") == manuscript[1]
    assert archive["version"] == cited("version") == hsr.__version__
    assert archive["license"] == cited("license") == PROJECT["license"]
    assert [one["name"] for one in archive["creators"]] == re.findall(
        r"^  - name: \"(.*)\"$", software, re.M
    )
    keywords = software.partition("keywords:")[2]
    assert archive["keywords"] == re.findall(r"^  - (.*)$", keywords, re.M) == PROJECT["keywords"]
    assert archive["creators"] == PROJECT["authors"]
    (related,) = archive["related_identifiers"]
    assert related["identifier"] == cited("value", paper)


def test_pages_name_the_wheel_of_this_version():
    wheels = [
        re.findall(r"hsr_rl-([\d.]+)-", text_of(page)) for page in ("README.md", "docs/install.md")
    ]
    assert wheels == [[hsr.__version__]] * 2


def test_the_recipe_asks_for_what_the_wheel_asks_for():
    recipe = text_of("release/recipe.yaml")
    (run,) = re.findall(r"^  run:\n((?:    - .*\n)+)", recipe, re.M)
    asked = [line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()]
    assert asked == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert f'version: "{hsr.__version__}"' in recipe
    assert f"      - {next(iter(PROJECT['scripts']))} = {PROJECT['scripts']['hsr']}\n" in recipe


def test_the_repository_has_one_address():
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    texts = (".md", ".toml", ".json", ".yaml", ".cff", ".py", ".ipynb")
    owners = {
        owner
        for name in names.stdout.splitlines()
        if name.endswith(texts) and not name.startswith(("web/", "docs/results/"))
        for owner in ADDRESS.findall((ROOT / name).read_text(encoding="utf-8"))
    }
    assert len(owners) == 1
