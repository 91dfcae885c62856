"""What all games share: the contract, environments, faces, objectives, records. Nothing of any one game."""
