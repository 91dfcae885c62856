"""Goes for its own coin and steps around the other's.

Source: the cooperating policy of the coin game (Lerer & Peysakhovich 2017, Maintaining cooperation in complex social
dilemmas using deep reinforcement learning).
"""


def distance(here, there, size):
    """Moves from one cell to another, with the edges joined."""
    rows, columns = abs(here[0] - there[0]), abs(here[1] - there[1])
    return min(rows, size - rows) + min(columns, size - columns)


def own_coin_move(state):
    """The move that leads nearest to my coin among those that do not take the other's."""
    mine, others = find_coin_positions(state, MY_ID)
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    fair = [move for move in MOVES if cells[move] != others or others == mine]
    return min(fair, key=lambda move: distance(cells[move], mine, len(state[0])))


def strategy_function(state, my_history, opp_history, my_program_code, opponent_program_code):
    """Takes its own coin alone."""
    return own_coin_move(state)
