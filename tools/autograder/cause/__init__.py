"""Finds the cause of a failure by experiments: what makes the failing call right is its cause.

search.py leads: rules.py has the device's rules, experiments.py makes calls, controls.py and doubts.py doubt what
they show, likely.py chooses, and tried.py says what is refuted. origins.py says which lines have to do with an array
without a value. program.py compiles a file with all its changes.

They are written by one class in layers, each of which knows those before: Writer (writer.py), Names, Missing, Values,
Choices (?:, conditions, braces), Masks (of lanes), Expressions (operators, indices), Calls, Launches, Accumulations
(what is stored to shared places), Forgotten (what a step does not hand on), Ends (of a task), Loops, Statements. A
method `_TYPE` writes nodes of the syntax tree's type TYPE.
"""
