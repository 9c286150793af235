"""The project's site: make site. Not named site: Python has such a module."""
