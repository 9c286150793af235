"""Finds the cause of a failure by experiments: what makes the failing call right is its cause."""
