"""Export of studies as oTree projects, and the functions that their app calls."""
