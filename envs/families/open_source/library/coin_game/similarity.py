"""Takes its own coin alone if the other program shares enough words with it, else any coin.

The measure is the Jaccard index of the sets of three successive words of both sources.
Source: Oesterheld et al. 2023, Similarity-based cooperative equilibrium (NeurIPS), carried over to the coin game.
"""

THRESHOLD = 0.5


def phrases(source):
    """Every three words in a row."""
    words = re.findall(r"\w+|[^\w\s]", source)
    return {(words[i], words[i + 1], words[i + 2]) for i in range(len(words) - 2)}


def similarity(first, second):
    """Share of the phrases of either source that both have."""
    one, two = phrases(first), phrases(second)
    either = len(one | two)
    return len(one & two) / either if either else 1.0


def distance(here, there, size):
    """Moves from one cell to another, with the edges joined."""
    rows, columns = abs(here[0] - there[0]), abs(here[1] - there[1])
    return min(rows, size - rows) + min(columns, size - columns)


def greedy_move(state):
    """The move that leads nearest to a coin of any colour."""
    coins = [coin for coin in find_coin_positions(state, MY_ID) if coin]
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    return min(MOVES, key=lambda move: min([distance(cells[move], coin, len(state[0])) for coin in coins]))


def own_coin_move(state):
    """The move that leads nearest to my coin among those that do not take the other's."""
    mine, others = find_coin_positions(state, MY_ID)
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    fair = [move for move in MOVES if cells[move] != others or others == mine]
    return min(fair, key=lambda move: distance(cells[move], mine, len(state[0])))


def strategy_function(state, my_history, opp_history, my_program_code, opponent_program_code):
    """Shares with programs like itself."""
    alike = similarity(my_program_code, opponent_program_code) >= THRESHOLD
    return own_coin_move(state) if alike else greedy_move(state)
