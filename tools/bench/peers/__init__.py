"""Tasks against the library call that a professional would use instead, on a GPU."""
