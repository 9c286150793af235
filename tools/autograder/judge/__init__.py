"""Right or wrong: the oracles, the checks, and the search for the smallest size that fails."""
