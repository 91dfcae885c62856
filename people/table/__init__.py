"""Play in the browser, against any players."""
