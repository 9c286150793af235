"""From a file to a program."""
