"""A failing call made once more, while the device records who writes the elements that are wrong."""
