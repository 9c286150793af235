"""Finds the cause of a failure by experiments: what makes the failing call right is its cause.

search.py leads: rules.py has the device's rules, experiments.py makes calls, controls.py and doubts.py doubt what
they show, likely.py chooses, and tried.py says what is refuted. origins.py says which lines have to do with an array
without a value. program.py compiles a file with all its changes.

Each class that writes changes inherits from those that it uses, and from Writer (writer.py), which all share: Names,
Missing, Values, Choices (?:, conditions, braces), Masks (of lanes), Expressions (operators, indices), Calls, Launches,
Accumulations (what is stored to shared places), Forgotten (what a step does not hand on), Declarations and others.
Statements has them all. A method `_TYPE` writes nodes of the syntax tree's type TYPE.
"""
