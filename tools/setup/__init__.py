"""What `make` runs: sets up, builds, checks. Standard library only: it runs before anything is there."""
