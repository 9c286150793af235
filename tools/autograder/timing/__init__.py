"""How fast a task is compared with the reference, and where the time goes."""
