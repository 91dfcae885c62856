"""Tests of studies with bots, which take part in the browser; their observations are checked against the data."""
