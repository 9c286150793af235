"""What to run: a lab's manifest, the cases of its tasks, what was asked for."""
