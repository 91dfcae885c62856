"""Texts of the items, rendered at run time from the files of the installed Axelrod library."""
