"""Game-independent core: contract, environments, faces, records, vector environments."""
