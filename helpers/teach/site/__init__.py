"""Build the course as web pages: `python -m helpers.teach.site`, or `make site`."""
