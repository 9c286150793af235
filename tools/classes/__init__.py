"""A class: finds many submissions, grades each, and reports on all of them."""
