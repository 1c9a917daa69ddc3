"""The pages of docs/ against the code: what they list exists, what they number is recomputed, what
they run runs.

Each check is a function from a page's text to the faults it finds. It runs over the real page, and
over copies with one planted fault each, which it must find. Cells of notebooks are run when the
site is built (docs/conf.py), not here.
"""

import ast
import inspect
import re
from contextlib import redirect_stdout
from functools import reduce
from importlib import import_module
from io import StringIO

import numpy as np
import pytest

import hsr
from hsr._base.extras import MissingExtraError
from hsr.grids.layout_text import MAX_CELLS
from tests.project.tree import ROOT, text_of

SOURCE, DOCS = ROOT / "src" / "hsr", ROOT / "docs"
PATHS = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts] + [
    ROOT / "README.md"
]
PAGES = {path.relative_to(ROOT).as_posix(): text_of(path) for path in PATHS}
FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<kind>[^\s`]*)[^\n`]*\n(?P<block>.*?)^(?P=fence)$", re.M | re.S
)
CODE = re.compile(
    r"(\w*|\{(?:code-cell|math|eval-rst|reference|toctree)\})"
)  # other directives hold prose, and links
N_VECTORS = 8


def prose_of(text):
    """Return a page without the blocks that are not read as prose."""
    return FENCE.sub(lambda found: "" if CODE.fullmatch(found["kind"]) else found["block"], text)


def rows(text):
    """Return the cells of every table row, headers and rules left out; an escaped bar stays in its
    cell.
    """
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    rules = {i for i, row in enumerate(cells) if set("".join(row)) <= set("-:")}
    return [row for i, row in enumerate(cells) if not {i, i + 1} & rules]


def section(text, title):
    """Return what stands under a heading of the second level."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return found[1] if found else ""


def differences(what, page, code):
    return [] if page == code else [f"{what}: the page has {page!r}, the code {code!r}"]


# docs/mazes.md


def maze_faults(text):
    faults = differences(
        "overview",
        [row for row in rows(text) if row[0].strip("`") in hsr.layout_names()],
        overview(),
    )
    for name in hsr.layout_names():
        part = section(text, name)
        layout = hsr.load_layout(name)
        blocks = [found["block"].rstrip("\n") for found in FENCE.finditer(part)]
        faults += differences(f"map of {name}", blocks, [layout.to_text()])
        faults += differences(f"facts of {name}", rows(part), facts(layout))
    sizes = [row for row in rows(section(text, "random_maze")) if row[0].isdigit()]
    states = [[row[0], str(hsr.random_maze(int(row[0]), seed=0).n_states)] for row in sizes]
    faults += differences("sizes of mazes", sizes, states) + (
        [] if sizes else ["there are no sizes of mazes"]
    )
    limits = set(re.findall(r"more than ([\d,]+) (?:bytes|cells)", text))
    return faults + differences("limit", limits, {f"{MAX_CELLS:,}"}) + refusal_faults(text)


def overview():
    table = []
    for name in hsr.layout_names():
        layout = hsr.load_layout(name)
        size = f"{layout.n_rows} x {layout.n_cols}"
        counts = [layout.n_states, len(layout.rooms), len(layout.bottlenecks), layout.diameter()]
        steps = layout.distances_from(layout.start)
        goals = [
            word for goal in layout.goals for word in (cells(layout, [goal]), str(steps[goal]))
        ]
        table.append([f"`{name}`", size, *map(str, counts), cells(layout, [layout.start]), *goals])
    return table


def facts(layout):
    """Return the rows of a map's two tables: its regions, who ends at start and goals, and every
    eigenoption's ends.
    """
    options = hsr.eigenoptions(
        hsr.grid_mdp(layout, discount=0.9), n_options=2 * N_VECTORS, signs="both"
    )
    ends = [np.flatnonzero(option.termination) for option in options]
    table = [
        ["states of each room", ", ".join(str(room.size) for room in layout.rooms)],
        ["bottlenecks", cells(layout, layout.bottlenecks)],
    ]
    for word, state in zip(("the start", "G1", "G2"), (layout.start, *layout.goals), strict=True):
        names = [
            option.name for option, states in zip(options, ends, strict=True) if state in states
        ]
        table.append([f"options that end at {word}", ", ".join(names) or "none"])
    for k in range(N_VECTORS):
        table.append([f"v{k + 1}", cells(layout, ends[2 * k]), cells(layout, ends[2 * k + 1])])
    return table


def cells(layout, states):
    return ", ".join(str(layout.cell_of(int(state))) for state in states)


def refusal_faults(text):
    listed = [
        (row[0].strip("`"), row[1].strip("`"))
        for row in rows(section(text, "The text format"))
        if row[0][1:2] == "'"
    ]
    faults = [] if listed else ["no text that is refused is listed"]
    for literal, message in listed:
        try:
            hsr.GridLayout.from_text(ast.literal_eval(literal))
            faults.append(f"{literal} is not refused")
        except hsr.LayoutError as error:
            faults += differences(f"message for {literal}", message, str(error))
    return faults


# docs/glossary.md


def glossary_faults(text):
    words = re.findall(r"^- \*\*(.+?)\*\*: \S", text, re.M)
    faults = differences(
        "entries", len(words), sum(line.startswith("- ") for line in text.splitlines())
    )
    faults += differences("order of words", words, sorted(set(words), key=str.lower))
    faults += [
        f"see {word}: no such word"
        for word in re.findall(r": see \*(.+?)\*", text)
        if word not in words
    ]
    defaults = re.findall(
        r'(\w+)="(\w+)"', reduce(str.__add__, re.findall(r"^- \*\*reading\*\*.*", text, re.M), "")
    )
    if not defaults:
        faults.append("no reading is named")
    for name, value in defaults:
        if value not in defaults_of(name):
            faults.append(f"{name} is {value!r} by default in none of the public functions")
    return faults


def defaults_of(parameter):
    """Return every default that a public function or class has for a parameter of this name."""
    public = [
        value
        for name in hsr.__all__
        if callable(value := getattr(hsr, name)) and not is_error(value)
    ]
    found = [inspect.signature(value).parameters.get(parameter) for value in public]
    return {
        parameter.default
        for parameter in found
        if parameter is not None and isinstance(parameter.default, str)
    }


def is_error(value):
    return isinstance(value, type) and issubclass(value, Exception)


# docs/bibliography.md, and every page


def keys_of(bibliography):
    return [row[0] for row in rows(bibliography)]


def bibliography_faults(text):
    faults = differences("order of keys", keys_of(text), sorted(set(keys_of(text))))
    faults += [
        f"{key} is no key such as dayan1993"
        for key in keys_of(text)
        if not re.fullmatch(r"[a-z]+\d{4}", key)
    ]
    faults += [
        f"{row[0]} has no such year" for row in rows(text) if f" {row[0][-4:]}." not in row[1]
    ]
    return faults + [
        f"there is no {file}"
        for file in re.findall(r"`([\w/]+/\w+\.py)`", text)
        if not (SOURCE / file).exists()
    ]


def key_faults(text):
    known = keys_of(PAGES["docs/bibliography.md"])
    return [
        f"[{key}] is not in the bibliography"
        for key in re.findall(r"\[([a-z]+\d{4})\]", text)
        if key not in known
    ]


def reference_faults(text, path):
    """Return keys that the bibliography lacks, links that lead nowhere, and names `hsr.x` that do
    not resolve.
    """
    prose = prose_of(text)
    faults = key_faults(prose)
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in link and not leads_somewhere(path.parent, link):
            faults.append(f"the link {link} leads nowhere")
    faults += dead_links(prose) + [
        f"{line!r} is a comment" for line in prose.splitlines() if line.startswith("%")
    ]
    packages = "|".join(path.name for path in SOURCE.iterdir() if path.is_dir())
    for file in re.findall(rf"`((?:{packages})/[\w/]+\.py)`", prose):
        if not (SOURCE / file).exists():
            faults.append(f"there is no file {file}")
    return faults + [
        f"{name} does not resolve"
        for name in re.findall(r"`(hsr(?:\.\w+)+)", prose)
        if not resolves(name)
    ]


def dead_links(prose):
    """Return addresses outside of code that become links and that no browser can open."""
    text = re.sub(r"(`+).+?\1", "", prose, flags=re.S)
    return [
        f"{link} must be code, because no browser can open it"
        for link in re.findall(r"\b[a-z][a-z0-9+.-]*://[^\s)>]+", text)
        if not link.startswith(("http://", "https://"))
    ]


def docstrings(source):
    """Return all docstrings of a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds))
    return [text for node in nodes if (text := ast.get_docstring(node))]


def leads_somewhere(folder, link):
    """Return whether a link from a folder leads to a file, or to a page that is named without its
    ending.
    """
    return (folder / link).exists() or (folder / f"{link}.md").exists()


def is_written_in(path, names):
    """Return whether a module that cannot be imported here lists or defines a name."""
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    source = file.read_text(encoding="utf-8")
    return not names or any(
        word in source for word in (f'"{names[0]}",', f"def {names[0]}(", f"class {names[0]}(")
    )


def resolves(name):
    """Return whether `hsr.a.b` is a public name with its attributes, or a module of the package
    with one of its names.
    """
    parts = name.split(".")[1:]
    for n in range(len(parts), 0, -1):
        if (SOURCE.joinpath(*parts[:n]).with_suffix(".py")).exists() or SOURCE.joinpath(
            *parts[:n], "__init__.py"
        ).exists():
            try:
                module = __import__(".".join(["hsr", *parts[:n]]), fromlist=["_"])
            except MissingExtraError:
                return is_written_in(SOURCE.joinpath(*parts[:n]), parts[n:])
            return (
                reduce(lambda value, part: getattr(value, part, None), parts[n:], module)
                is not None
            )
    return (
        parts[0] in hsr.__all__
        and reduce(lambda value, part: getattr(value, part, None), parts, hsr) is not None
    )


def code_faults(text):
    """Run a page's Python blocks one after another; a text block that follows one must be what it
    prints.
    """
    faults, names, printed = [], {"__name__": "page"}, None
    position = 0
    for found in FENCE.finditer(text):
        kind, block = found["kind"], found["block"]
        if kind == "python":
            out = StringIO()
            try:
                with redirect_stdout(out):
                    exec(compile(block, "<page>", "exec"), names)
            except Exception as error:
                faults.append(f"{block.splitlines()[0]} ...: {type(error).__name__}: {error}")
            printed = out.getvalue()
        elif kind == "text" and printed is not None and not text[position : found.start()].strip():
            faults += differences("output", block, printed)
        position = found.end()
        printed = printed if kind == "python" else None
    return faults


# docs/api


def all_of(package):
    """Return the public names of a package, read from its source if it needs an extra."""
    try:
        return import_module(package).__all__
    except MissingExtraError:
        tree = ast.parse(text_of(SOURCE.joinpath(*package.split(".")[1:], "__init__.py")))
        (listed,) = (
            node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        )
        return ast.literal_eval(listed)


def entry_faults(text):
    """Return public names without an entry, entries of names that are not public, and names with
    two entries.
    """
    blocks = re.findall(r"^```\{reference\} (\S+)\n(.*?)^```$", text, re.M | re.S)
    entries = [f"{package}.{name}" for package, names in blocks for name in names.split()]
    faults = [f"{name} has two entries" for name in set(entries) if entries.count(name) > 1]
    for package in sorted({package for package, _ in blocks} | {"hsr"}):
        public = {f"{package}.{name}" for name in all_of(package) if not name.startswith("__")}
        of_package = {name for name in entries if name.rpartition(".")[0] == package}
        faults += [f"{name} has no entry" for name in public - of_package]
        faults += [f"{name} has an entry and is not public" for name in of_package - public]
    return faults


REFERENCE = "\n".join(text for page, text in PAGES.items() if page.startswith("docs/api/"))
CHECKS = {
    "docs/mazes.md": maze_faults,
    "docs/glossary.md": glossary_faults,
    "docs/bibliography.md": bibliography_faults,
}
PLANTED = (
    ("docs/mazes.md", "| 104 |", "| 105 |"),
    ("docs/mazes.md", "#S....#.....#", "#.S...#.....#"),
    ("docs/mazes.md", "| 25, 30, 25, 20 |", "| 25, 25, 30, 20 |"),
    ("docs/mazes.md", "+v2, +v3, +v6, +v8", "none"),
    ("docs/mazes.md", "| v1 | (11, 1) | (1, 11) |", "| v1 | (1, 11) | (11, 1) |"),
    ("docs/mazes.md", "| 22 | 199 |", "| 22 | 200 |"),
    ("docs/mazes.md", "67,108,864", "64,000,000"),
    ("docs/mazes.md", "a second 'S'; expected one", "another 'S'; expected one"),
    ("docs/mazes.md", "| `'..2'` |", "| `'..1'` |"),
    ("docs/glossary.md", "- **action**:", "- **zebra**:"),
    ("docs/glossary.md", "- **action**:", "- action:"),
    ("docs/glossary.md", "see *primitive*", "see *primordial*"),
    ("docs/glossary.md", 'ties="uniform"', 'ties="primitives"'),
    ("docs/bibliography.md", "| dayan1993 |", "| dayan93 |"),
    ("docs/bibliography.md", "| lee1999 |", "| lee2001 |"),
    ("docs/bibliography.md", "`grids/named.py`", "`grids/famous.py`"),
)
BROKEN_REFERENCES = (
    "as in [nobody1999]",
    "[page](nowhere.md)",
    "`mdp/infinite.py`",
    "`hsr.nothing`",
    "`hsr.mdp.chain.nothing`",
    "{py:func}`hsr.nothing`",
    "an address such as tcp://10.0.0.1:8786",
    "[a cluster](tcp://10.0.0.1:8786)",
    "within 95\n% of the optimum",
    "````{admonition} Paper\n[page](nowhere)\n````",
    "```{figure} figure1.png\nas in [nobody1999]\n```",
    "```{code-cell}\nx = 1\n```\n\n`hsr.nothing`\n\n```{math}\nx\n```",
)
NOT_REFERENCES = (
    "```{code-cell}\nrow[key](nowhere.md)  # `hsr.nothing`\n```",
    "````text\n```python\n[page](nowhere.md)\n```\n````",
    "[page](agents) and [page](agents.md#exploration)",
    "`tcp://10.0.0.1:8786`, ``dask worker tcp://10.0.0.1:8786`` and https://example.org",
)
BROKEN_CODE = (
    "```{code-cell}\nskipped\n```\n\n```python\nassert False\n```\n",
    "```python\nimport hsr\nhsr.nothing\n```\n",
    "```python\nassert 1 == 2\n```\n",
    "```python\nprint(1)\n```\n\n```text\n2\n```\n",
)


@pytest.mark.parametrize("page", CHECKS)
def test_a_page_says_what_the_code_says(page):
    assert CHECKS[page](PAGES[page]) == []


@pytest.mark.parametrize(("page", "right", "wrong"), PLANTED)
def test_a_planted_fault_is_found(page, right, wrong):
    assert right in PAGES[page]
    assert CHECKS[page](PAGES[page].replace(right, wrong, 1)) != []


def test_every_public_name_has_one_entry_in_the_reference():
    assert entry_faults(REFERENCE) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("\nGPI\n", "\n"),
        ("\nGPI\n", "\nGPI\nGPI\n"),
        ("\nGPI\n", "\nGPI\nnothing\n"),
        ("\niqm\n", "\n"),
    ],
)
def test_a_fault_in_the_reference_is_found(right, wrong):
    assert right in REFERENCE
    assert entry_faults(REFERENCE.replace(right, wrong, 1)) != []


@pytest.mark.parametrize("page", PAGES)
def test_keys_links_files_and_names_exist(page):
    assert reference_faults(PAGES[page], ROOT / page) == []


@pytest.mark.parametrize("text", BROKEN_REFERENCES)
def test_a_broken_reference_is_found(text):
    assert reference_faults(text, DOCS / "page.md") != []


@pytest.mark.parametrize("text", NOT_REFERENCES)
def test_code_and_pages_without_their_ending_are_no_faults(text):
    assert reference_faults(text, DOCS / "page.md") == []


def test_docstrings_cite_keys_of_the_bibliography():
    assert [fault for path in SOURCE.rglob("*.py") for fault in key_faults(text_of(path))] == []


def test_docstrings_have_no_dead_links():
    texts = (text for path in SOURCE.rglob("*.py") for text in docstrings(text_of(path)))
    assert [fault for text in texts for fault in dead_links(text)] == []


def test_a_docstring_that_cites_nobody_is_found():
    assert key_faults('"""As shown before [nobody1999]_."""') != []


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "```python\n" in text])
def test_the_python_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert code_faults(PAGES[page]) == []


@pytest.mark.parametrize("text", BROKEN_CODE)
def test_a_broken_block_is_found(text):
    assert code_faults(text) != []


def test_cells_of_a_notebook_are_left_to_the_site():
    assert code_faults("```{code-cell}\nassert False\n```\n") == []
