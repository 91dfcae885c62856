"""Participants who are programs: they go through a study in the browser, and what they saw is judged."""
