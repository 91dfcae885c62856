"""Always defects.

Source: the dominant strategy of the one-shot prisoner's dilemma (Axelrod 1984, The Evolution of Cooperation).
"""


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays D, whatever happened."""
    return "D"
