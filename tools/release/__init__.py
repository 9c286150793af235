"""make release: the students' archive, without solutions and what shows them."""
