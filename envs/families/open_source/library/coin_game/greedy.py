"""Goes for the nearest coin, whoever owns it.

Source: the defecting policy of the coin game (Lerer & Peysakhovich 2017, Maintaining cooperation in complex social
dilemmas using deep reinforcement learning).
"""


def distance(here, there, size):
    """Moves from one cell to another, with the edges joined."""
    rows, columns = abs(here[0] - there[0]), abs(here[1] - there[1])
    return min(rows, size - rows) + min(columns, size - columns)


def greedy_move(state):
    """The move that leads nearest to a coin of any colour."""
    coins = [coin for coin in find_coin_positions(state, MY_ID) if coin]
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    return min(MOVES, key=lambda move: min([distance(cells[move], coin, len(state[0])) for coin in coins]))


def strategy_function(state, my_history, opp_history, my_program_code, opponent_program_code):
    """Takes any coin."""
    return greedy_move(state)
