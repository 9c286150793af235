"""What an instructor decides about a term, as data: deadlines, late rules, weights, drops, bonus, private cases."""
