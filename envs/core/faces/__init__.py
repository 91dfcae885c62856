"""Faces: numeric, structured and text interfaces to the rules."""
