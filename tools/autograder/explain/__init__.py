"""Why: the proved cause, what the virtual GPU saw and where; else how the call failed. No guesses."""
