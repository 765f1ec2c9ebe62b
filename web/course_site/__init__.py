"""The Sphinx extensions that make the website: math, launch links, page."""
