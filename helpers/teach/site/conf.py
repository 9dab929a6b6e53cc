"""Configure Sphinx for the course's pages. Nothing here is loaded from another server."""

project = html_title = "Elementwise to the Roof"
language = "en"
extensions = ["myst_nb", "helpers.teach.site.extension"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict] = {}  # else pages with widgets load their program from a CDN
myst_heading_anchors = 3

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["course.css"]
# A page that is a file cannot read another one: then the search shows titles, no excerpts.
EXCERPTS = "DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== 'file:';"
html_js_files = [(None, {"body": EXCERPTS})]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
