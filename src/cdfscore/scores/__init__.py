"""Score matrices, topics x systems: reading, checks and labels of all user data."""
