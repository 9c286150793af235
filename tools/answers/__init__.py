"""solutions/NN-name/ANSWERS.md and EXAM.md: their figures, questions and code, checked against what runs."""
