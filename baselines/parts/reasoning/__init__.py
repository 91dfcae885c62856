"""Methods of reasoning, which only use the question of the turn and so work in every game.

Only `Author` and `AuthorFromScratch` are specific to open-source games.
"""
