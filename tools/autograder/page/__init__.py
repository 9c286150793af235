"""A result as one HTML page that needs nothing else: no network, no script but the slider's, no student text as markup."""
