"""The autograder of CUDA Labs: builds a submission, runs it, judges it, says why."""

__version__ = "0.1.0"
