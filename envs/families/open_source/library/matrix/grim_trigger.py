"""Cooperates until the other once did not, then defects for good.

Source: Friedman 1971, A Non-cooperative Equilibrium for Supergames, Review of Economic Studies 38(1).
"""


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays C as long as the other has played nothing else."""
    for move in opp_history:
        if move != "C":
            return "D"
    return "C"
