"""The programs of the items: their texts, made at run time from the files of the installed Axelrod library."""
