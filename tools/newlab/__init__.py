"""tools/author new-lab: makes a lab that builds, grades and passes the checks, to be filled in by its author."""
