"""What the games of ALYMPICS share: health, who can be kept alive, and how K-level play is measured."""
