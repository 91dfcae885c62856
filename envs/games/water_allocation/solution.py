"""References for water allocation."""
