"""The summary of a folder: ranking, cross-play, theory; its tables, figures and report."""
