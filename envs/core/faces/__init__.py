"""Codecs in front of the rules: numbers, structures, text."""
