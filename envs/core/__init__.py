"""What all games share: the contract, environments, faces, records, vectors. Nothing of any one game."""
