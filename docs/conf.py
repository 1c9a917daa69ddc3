"""Configuration of Sphinx: `make docs`, or `python -m sphinx -W -n docs docs/_build/html`.

Every warning fails the build: a broken link, a public name without an entry in the reference, a
notebook that raises or writes to stderr. Neither the build nor the pages need the network.
"""

import os
import sys
import tempfile
from pathlib import Path

import hsr
from hsr.lab.page import page_with

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")  # one BLAS thread, as in measurements
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # silence the kernel's debugger

# Kernels use their own settings, not those of the user, and do not log local connections.
_settings = tempfile.TemporaryDirectory(prefix="hsr-docs-")
os.environ["IPYTHONDIR"] = _settings.name
os.environ["HSR_DOCS"] = str(Path(__file__).parent)  # notebooks run elsewhere and read files here
_profile = Path(_settings.name, "profile_default", "ipython_kernel_config.py")
_profile.parent.mkdir()
_profile.write_text('c.IPKernelApp.log_level = "ERROR"\nc.InlineBackend.rc = {"figure.dpi": 150}\n')

# The page of the lab is built with Node. docs/lab.md has the name lab.html already.
_extra = tempfile.TemporaryDirectory(prefix="hsr-docs-")
try:
    _page = page_with(hsr.load_layout("four_rooms"), docs="lab.html")
except hsr.InputError as error:
    _page = f"<!doctype html><title>hsr lab</title><p>The lab is not here: {error}."
Path(_extra.name, "live-lab.html").write_text(_page, encoding="utf-8")

project = "hsr"
author = "The hsr developers"
copyright = author
version = release = hsr.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "architecture",
    "citations",
    "dark_pictures",
    "gallery",
    "outside",
    "public_names",
    "without_jax",
]
exclude_patterns = ["_build"]
nitpicky = True
default_role = "name"  # `eigenoptions` in a docstring: a link if it is public, otherwise code

public_names = [
    "hsr", "hsr.mdp", "hsr.grids", "hsr.adapters", "hsr.options", "hsr.representation", "hsr.basis",
    "hsr.animals", "hsr.datasets", "hsr.agents", "hsr.envs", "hsr.toolkit", "hsr.deep", "hsr.plots",
    "hsr.experiments.stats",
]  # fmt: skip
citations_page = "bibliography"
outside_pages = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "examples/README.md": "examples/index.md",
}

# Pages and notebooks
myst_enable_extensions = ["colon_fence", "dollarmath", "tasklist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 600  # of a cell, on a machine that does other things
nb_execution_show_tb = True
nb_merge_streams = True
nb_output_stderr = "warn"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Reference. Types in docstrings are prose ("int array of shape (S, A)"), so they are printed, not
# looked up.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]
toc_object_entries_show_parents = "hide"
add_module_names = False

# Looks
html_theme = "pydata_sphinx_theme"
html_title = f"hsr {version}"
html_favicon = "_static/rooms.svg"
html_static_path = ["_static"]
html_extra_path = [_extra.name]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
_pages = Path(__file__).parent.glob("results/*.md")
_wide: dict[str, list[str]] = {f"results/{page.stem}": [] for page in _pages}  # for their pictures
html_theme_options = {
    "logo": {"text": "hsr", "image_light": "_static/rooms.svg", "image_dark": "_static/rooms.svg"},
    "show_toc_level": 2,
    "header_links_before_dropdown": 9,
    "navbar_start": ["navbar-logo", "version"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], **_wide},
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "navigation_with_keys": False,
}
