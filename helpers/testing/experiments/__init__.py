"""Find out what went wrong by a failed case that runs again with one thing changed."""
