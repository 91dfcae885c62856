"""Cooperates first, then does what the other did last; a forfeited move counts as a defection.

Source: Anatol Rapoport's entry in Axelrod's first tournament (Axelrod 1980, Journal of Conflict Resolution 24(1)).
"""


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays C unless the other's last move was another one."""
    if opp_history and opp_history[-1] != "C":
        return "D"
    return "C"
