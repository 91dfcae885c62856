"""Studies and play with people: the table in the browser, studies, the operator's pages, oTree."""
