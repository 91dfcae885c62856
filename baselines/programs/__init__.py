"""Authors: players of the open-source games, who submit programs."""
