"""Commands that show pages to people, and those of studies."""
