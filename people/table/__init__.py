"""People at the table: play in the browser, against any players."""
