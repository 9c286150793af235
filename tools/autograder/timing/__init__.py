"""How fast, beside the reference, and where the time goes."""
