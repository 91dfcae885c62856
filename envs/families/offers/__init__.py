"""What games of alternating offers share: two seats take turns to name an amount, and the other answers it."""
