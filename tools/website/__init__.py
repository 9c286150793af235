"""The project's site, made from this repository's Markdown: make site. Not named site: Python has such a module."""
