"""One process that calls the student's functions, and what passes between it and the grader."""
