# ruff: noqa: B905 (the sandbox knows no more)
"""A program that knows how random numbers are derived, and computes those of its opponent in plain Python.

It is told the seed of the meta-round, so that it has nothing to search: what is left is the work of `stretch_seed`. It
does some of that in each turn, plays at random until it is done, and then has a generator like its opponent's. It
wins matching pennies as seat 0, which wants both to play the same.
"""

import random

SEED, COST, PACE = 0, 2**14, 100
"""Of the meta-round; n of scrypt; steps of scrypt in each turn. Put in by who submits it."""

WORD, LONG = 2**32 - 1, 2**64 - 1


def roots(power, bits, count):
    """The first bits of the fractions of square or cube roots of the primes: the constants of SHA-2 and BLAKE2."""
    found, number = [], 1
    while len(found) < count:
        number += 1
        if all(number % smaller for smaller in range(2, number)):
            low, high, wanted = 0, number << bits, number << (power * bits)
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if middle**power <= wanted else (low, middle - 1)
            found.append(low % 2**bits)
    return found


START, EACH, BLAKE = roots(2, 32, 8), roots(3, 32, 64), roots(2, 64, 8)


def read(text):
    """A number, its smallest byte first."""
    value = 0
    for byte in reversed(text):
        value = value << 8 | byte
    return value


def written(value, count):
    return [value >> (8 * i) & 255 for i in range(count)]


def backwards(text):
    return list(reversed(text))


def turned(value, bits):
    return ((value >> bits) | (value << (32 - bits))) & WORD


def compressed(state, block):
    """SHA-256 of one more block of 64 bytes."""
    words = [read(backwards(block[i : i + 4])) for i in range(0, 64, 4)]
    for i in range(16, 64):
        x, y = words[i - 15], words[i - 2]
        x = turned(x, 7) ^ turned(x, 18) ^ (x >> 3)
        y = turned(y, 17) ^ turned(y, 19) ^ (y >> 10)
        words.append((words[i - 16] + x + words[i - 7] + y) & WORD)
    a, b, c, d, e, f, g, h = state
    for i in range(64):
        x = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & WORD & g)) + EACH[i] + words[i]
        y = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
        a, b, c, d, e, f, g, h = (x + y) & WORD, a, b, c, (d + x) & WORD, e, f, g
    return [(old + new) & WORD for old, new in zip(state, [a, b, c, d, e, f, g, h])]


def hashed(state, before, text):
    """The rest of a SHA-256 that has had so many bytes before."""
    padded = text + [128] + [0] * ((55 - len(text)) % 64) + backwards(written(8 * (before + len(text)), 8))
    for i in range(0, len(padded), 64):
        state = compressed(state, padded[i : i + 64])
    return [byte for word in state for byte in backwards(written(word, 4))]


class Mac:
    def __init__(self, key):
        key = hashed(START, 0, key) if len(key) > 64 else key
        key = key + [0] * (64 - len(key))
        self.inner = compressed(START, [byte ^ 0x36 for byte in key])
        self.outer = compressed(START, [byte ^ 0x5C for byte in key])

    def of(self, text):
        return hashed(self.outer, 64, hashed(self.inner, 64, text))

    def drawn(self, salt, count):
        """PBKDF2 with one iteration."""
        blocks = [self.of(salt + backwards(written(i, 4))) for i in range(1, (count + 31) // 32 + 1)]
        return [byte for block in blocks for byte in block][:count]


QUARTERS = [((4, 0, 12), 7), ((8, 4, 0), 9), ((12, 8, 4), 13), ((0, 12, 8), 18)]
PATH = [([(x + 5 * k) % 16 for x in three], bits) for k in range(4) for three, bits in QUARTERS]
PATH += [([4 * k + (k + x // 4) % 4 for x in three], bits) for k in range(4) for three, bits in QUARTERS]


def salsa(words):
    """Salsa20/8."""
    out = list(words)
    for _ in range(4):
        for (target, one, other), bits in PATH:
            value = (out[one] + out[other]) & WORD
            out[target] ^= ((value << bits) & WORD) | (value >> (32 - bits))
    return [(old + new) & WORD for old, new in zip(words, out)]


def mixed(block):
    """scrypt's BlockMix with r = 8."""
    last, out = block[15], []
    for part in block:
        last = salsa([x ^ y for x, y in zip(last, part)])
        out.append(last)
    return out[0::2] + out[1::2]


class Scrypt:
    """Computes scrypt step by step."""

    def __init__(self, password):
        self.mac, self.memory, self.left = Mac(password), [], COST
        text = self.mac.drawn(list(b"econzoo"), 1024)
        numbers = [read(text[i : i + 4]) for i in range(0, 1024, 4)]
        self.block = [numbers[i : i + 16] for i in range(0, 256, 16)]

    def step(self):
        if len(self.memory) < COST:
            self.memory.append(self.block)
        else:
            there = self.memory[self.block[15][0] % COST]
            self.block = [[x ^ y for x, y in zip(one, other)] for one, other in zip(self.block, there)]
            self.left -= 1
        self.block = mixed(self.block)

    def number(self):
        """The 63 bits of `stretch_seed`."""
        text = [byte for part in self.block for word in part for byte in written(word, 4)]
        return read(backwards(self.mac.drawn(text, 8))) >> 1


SIGMA = """
0123456789abcdef ea489fd61c02b753 b8c052fdae367194 7931dcbe265a40f8 905724afe1bc683d
2c6a0b834d75fe19 c51fed4a0763928b db7ec13950f4862a 6fe9b308c2d714a5 a2847615fb9e3cd0
"""
BLAKE_PATH = (
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
)


def keyed(text):
    """The 63 bits of `keyed`: BLAKE2b of a text of one block."""
    words = [read((text + [0] * (128 - len(text)))[i : i + 8]) for i in range(0, 128, 8)]
    state = [BLAKE[0] ^ 0x01010008, *BLAKE[1:]]
    v, orders = state + BLAKE, SIGMA.split()
    v[12] ^= len(text)
    v[14] ^= LONG
    for number in range(12):
        order = [int(letter, 16) for letter in orders[number % 10]]
        for k, (a, b, c, d) in enumerate(BLAKE_PATH):
            for x, first, second in ((words[order[2 * k]], 32, 24), (words[order[2 * k + 1]], 16, 63)):
                v[a] = (v[a] + v[b] + x) & LONG
                v[d] ^= v[a]
                v[d] = ((v[d] >> first) | (v[d] << (64 - first))) & LONG
                v[c] = (v[c] + v[d]) & LONG
                v[b] ^= v[c]
                v[b] = ((v[b] >> second) | (v[b] << (64 - second))) & LONG
    return read(backwards(written(state[0] ^ v[0] ^ v[8], 8))) >> 1


class Oracle:
    work = None
    knows = False


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    if Oracle.work is None:
        Oracle.work = Scrypt(list(repr((1, (SEED, my_program_code, opponent_program_code))).encode()))
    for _ in range(PACE):
        if not Oracle.knows:
            if Oracle.work.left:
                Oracle.work.step()
            else:
                random.seed(str(keyed(list(repr((1, (Oracle.work.number(), 1))).encode()))))
                [random.choice(["C", "D"]) for _ in opp_history]
                Oracle.knows = True
    return random.choice(["C", "D"])
