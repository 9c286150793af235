"""Pictures of the handouts."""
