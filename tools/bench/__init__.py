"""Benchmarks of the labs' ladders: `make bench`, or python -m bench."""
