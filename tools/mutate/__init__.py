"""Makes small mistakes in the solutions mechanically, for the grader to find."""
