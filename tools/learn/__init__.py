"""Working through a lab at the terminal: watching the file, points so far, back to the skeleton, what is next."""
