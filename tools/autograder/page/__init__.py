"""A result as one HTML page that needs nothing else: no network, one script for a slider, no text as markup."""
