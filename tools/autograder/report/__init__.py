"""The result, for people and for programs."""
