"""Mistakes that students make, each kept as an edit of the solution with the verdict it must get."""
