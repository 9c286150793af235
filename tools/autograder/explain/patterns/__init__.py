"""The pattern of the errors in an output: what kind of mistake makes these elements wrong?

A rule is a function. It gets the evidence, an `Errors`, and returns a sentence about it, or None if it does not fit.
Its name is the name of the pattern, for which lab.toml may have a hint; its first line says what the pattern means.
rules.py lists all of them. A rule that makes sense in one lab only belongs in labs/NN-name/grading/patterns.py.
"""
