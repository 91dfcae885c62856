"""Rendering of tables, figures and numbers for terminals, pages and files."""
