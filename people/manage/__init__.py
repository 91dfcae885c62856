"""The operator's pages: collections of matches that run in processes of their own, judging, and studies."""
