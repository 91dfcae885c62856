"""Methods of reasoning. They work in every game, since they know nothing but the question of the turn.

Only `Author` and `AuthorFromScratch` are for games in which programs are submitted.
"""
