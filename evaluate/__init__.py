"""Matches, tournaments and their records, replays, statistics, figures and reports."""
