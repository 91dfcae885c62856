"""Studies with people: the file of a study, who plays whom, what it pays, what it costs, what is exported."""
