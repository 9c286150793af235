"""Why: what the errors have in common, what the virtual GPU saw, where it is, which hint fits."""
