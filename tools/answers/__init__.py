"""course/NN-name/answers.md and exam.md: their figures, questions and code, checked against what runs."""
