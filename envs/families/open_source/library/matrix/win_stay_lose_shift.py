"""Keeps its move after a good round and changes it after a bad one (Pavlov).

A round was good when the other cooperated.
Source: Nowak & Sigmund 1993, A strategy of win-stay, lose-shift ..., Nature 364.
"""


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays C first, and after rounds in which both did the same."""
    if not my_history:
        return "C"
    i_cooperated = my_history[-1] == "C"
    other_cooperated = opp_history[-1] == "C"
    return "C" if i_cooperated == other_cooperated else "D"
