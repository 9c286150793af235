"""A class: many submissions, found, graded one by one, and told of together."""
