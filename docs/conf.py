"""How Sphinx builds the site: `make docs`. Nothing is downloaded, and warnings are errors."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import matplotlib

matplotlib.use("Agg")

import _extensions.mathml as _mathml
import _extensions.repository_pages as _repository_pages
import _extensions.screens as _screens

import oddrank

project = "oddrank"
author = "the oddrank developers"
copyright = f"{author}, BSD 3-clause licence"  # noqa: A001 (Sphinx's own name)
version = release = oddrank.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "_extensions", "_templates", "gallery/*.md5", "conftest.py"]
templates_path = ["_templates"]
language = "en"
nitpicky = False
# Docstrings write names between single backticks: they become links where Sphinx knows the name.
default_role = "py:obj"
pygments_style = "friendly"

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
html_math_renderer = "mathml"

# The copy button leaves out prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "_extensions.gallery_order.GalleryOrder",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("oddrank",),
    "capture_repr": (),
    "download_all_examples": False,
    "min_reported_time": 10**6,
    "parallel": 2,
    "plot_gallery": "True",
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "oddrank"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/logo.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "text": "oddrank",
        "alt_text": "oddrank: the first page",
    },
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "friendly",
    "pygments_dark_style": "github-dark",
}
html_sidebars = {"faq": [], "glossary": [], "start": []}


def setup(app):
    """Add what is this project's own: pages from outside `docs`, and mathematics without a CDN."""
    _repository_pages.setup(app)
    _mathml.setup(app)
    _screens.setup(app)
