"""How much the form of an answer in a prompt moves what a player answers: the same matches under several forms."""
