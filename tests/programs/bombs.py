"""Attacks that try to use up what there is: (name, source, what comes of it)."""

from __future__ import annotations

from econzoo.envs.families.open_source import ENTRY
from programs.writing import EXCEPTION, LIMIT, SYNTAX, body, having

TIME = [
    ("while True", body("while True:", "    pass"), LIMIT),
    ("while True when loaded", having("while True:\n    pass"), LIMIT),
    ("nested loops", body("for i in range(10**6):", "    for j in range(10**6):", "        x = i * j"), LIMIT),
    (
        "swallows all",
        body("while True:", "    try:", "        while True: pass", "    except BaseException: pass"),
        LIMIT,
    ),
    ("loops in finally", body("try:", "    while True: pass", "finally:", "    while True: pass"), LIMIT),
    ("a sum without end", body("sum(range(10**12))"), LIMIT),
    ("a maximum without end", body("max(range(10**12))"), LIMIT),
    ("factorial", body("math.factorial(10**7)"), LIMIT),
    ("greatest common divisor", body("math.gcd(3**(10**6), 7**(10**6))"), LIMIT),
    ("huge product", body("x = 3**(3 * 10**6)", "while True: x * x"), LIMIT),
    ("digits of a huge number", body("hex(3**(10**7))"), LIMIT),
    ("shared lists compared", body("a, b = [], []", "for i in range(60): a, b = [a, a], [b, b]", "a == b"), LIMIT),
    ("shared lists shown", body("a = []", "for i in range(60): a = [a, a]", "repr(a)"), LIMIT),
    ("shared lists as JSON", body("a = []", "for i in range(60): a = [a, a]", "json.dumps(a)"), LIMIT),
    ("sorting with a slow key", body("sorted(range(10**5), key=lambda x: sum(range(x)))"), LIMIT),
    ("backtracking, linear here", body("re.match(r'(a+)+$', 'a' * 40 + 'b')"), "C"),
    ("backtracking with a reference", body(r"re.match(r'(a*)*\1b', 'a' * 30)"), EXCEPTION),
    (
        "backtracking again and again",
        body("while True:", r"    try: re.match(r'(a*)*\1b', 'a' * 30)", "    except Exception: pass"),
        LIMIT,
    ),
    ("quadratic search", body("re.findall('(?=(a*))', 'a' * 10**6)"), LIMIT),
    ("huge pattern", body("re.compile('(((a{100}){100}){100}){100}')"), EXCEPTION),
    ("names that nobody knows", body("while True:", "    try: nothing", "    except NameError: pass"), LIMIT),
]

MEMORY = [
    ("list that grows", body("x = []", "while True: x.append(x)"), LIMIT),
    ("list of a size", body("[0] * 10**9"), LIMIT),
    ("text that doubles", body("x = 'x'", "while True: x += x"), LIMIT),
    ("text of a size", body("'x' * 10**10"), LIMIT),
    ("padded text", body("'x'.ljust(10**10)"), LIMIT),
    ("formatted width", body("f'{1:>10000000000}'"), LIMIT),
    ("old format width", body("'%10000000000d' % 1"), LIMIT),
    ("replaced text", body("('a' * 10**6).replace('a', 'b' * 10**6)"), LIMIT),
    ("bytes of a size", body("bytes(10**10)"), LIMIT),
    ("dictionary that grows", body("d = {}", "while True: d[len(d)] = 1"), LIMIT),
    ("set that grows", body("s = set()", "while True: s.add(len(s))"), LIMIT),
    ("tower of powers", body("10**10**8"), LIMIT),
    ("power of powers", body("9**9**9**9"), LIMIT),
    ("shift", body("1 << 10**12"), LIMIT),
    ("random bytes", body("random.randbytes(10**10)"), LIMIT),
    ("random bits", body("random.getrandbits(10**11)"), LIMIT),
    ("swallows memory errors", body("while True:", "    try: [0] * 10**8", "    except BaseException: pass"), LIMIT),
    ("memory kept between rounds", having("kept = []", "kept.append('x' * 2**20)"), LIMIT),
    ("joined text", body("('x' * 10**5).join(['y'] * 10**6)"), LIMIT),
    ("split text", body("('a b ' * (5 * 10**6)).split()"), LIMIT),
    ("matches without end", body("list(re.finditer('a', 'a' * (2 * 10**7)))"), LIMIT),
    ("error of a size", body("raise ValueError('x' * (20 * 2**20))"), LIMIT),
    ("many printed at once", body("print(*range(10**6))"), LIMIT),
    ("trees of a size", body("for i in range(3): syntax_tree('x=1\\n' * 24000)"), EXCEPTION),
    ("text of a huge number", body("str(9**(10**5))"), EXCEPTION),
    ("number from a huge text", body("int('9' * 10**5)"), EXCEPTION),
]

DEPTH = [
    ("recursion", body(f"return {ENTRY}(mine, theirs, own, other)"), LIMIT),
    ("mutual recursion", having("def f(): return g()\ndef g(): return f()", "f()"), LIMIT),
    ("recursion in finally", having("def f():\n    try: return f()\n    finally: return f()", "f()"), LIMIT),
    ("recursion in a comparison", having("class A:\n    def __eq__(self, o): return self == o", "A() == 1"), LIMIT),
    ("recursion that is caught", body(f"try: {ENTRY}(mine, theirs, own, other)", "except RecursionError: pass"), "C"),
    ("deep brackets", body("x = " + "(" * 3000 + "1" + ")" * 3000), SYNTAX),
    ("deep signs", body("x = " + "-" * 5000 + "1"), SYNTAX),
    ("deep attributes", body("x = a" + ".b" * 3000), SYNTAX),
    ("long sum", body("x = 1" + "+1" * 3000), SYNTAX),
    ("longest sum", body("x = 1" + "+1" * 9000), LIMIT),
    ("deep JSON", body("json.loads('[' * 10**5)"), EXCEPTION),
]

OUTPUT = [
    ("print without end", body("while True: print('x')"), LIMIT),
    ("print at once", body("print('x' * 10**6)"), LIMIT),
    ("print swallowing all", body("while True:", "    try: print('x' * 100)", "    except BaseException: pass"), LIMIT),
    ("print a little", body("print('hello')"), "C"),
    ("huge message", body("raise ValueError('x' * 10**6)"), EXCEPTION),
    ("odd message", body(r"raise ValueError('\x1b[2J\n\u202e\x00\r')"), EXCEPTION),
    (
        "message that raises",
        having("class A:\n    def __str__(self): return 1 / 0", "raise ValueError(A())"),
        EXCEPTION,
    ),
    ("raises a class of its own", having("class A: pass", "raise A()"), EXCEPTION),
    ("error in __eq__", having("class A:\n    def __eq__(self, o): return 1 / 0", "return A() == 'C'"), EXCEPTION),
    ("error in __repr__", having("class A:\n    def __repr__(self): return 1 / 0", "return repr(A())"), EXCEPTION),
]

HOST = [
    ("simulates itself", body("return simulate(own, [])"), EXCEPTION),
    ("simulates itself and goes on", body("try: simulate(own, [])", "except RuntimeError: pass"), "C"),
    (
        "simulates itself in a loop",
        body("while True:", "    try: simulate(own, [])", "    except RuntimeError: pass"),
        LIMIT,
    ),
    ("simulates a bomb", body("return simulate('def " + ENTRY + "(a, b, c, d):\\n while True: pass', [])"), EXCEPTION),
    (
        "simulates bombs for ever",
        body(
            "s = 'def " + ENTRY + "(a, b, c, d):\\n while True: pass'",
            "while True:",
            "    try: simulate(s, [])",
            "    except BaseException: pass",
        ),
        LIMIT,
    ),
    (
        "simulates an importer",
        body("return simulate('import os\\ndef " + ENTRY + "(a, b, c, d): return os.getcwd()', [])"),
        EXCEPTION,
    ),
    ("huge history", body("return simulate(other, [['C', 'C']] * 10**5)"), EXCEPTION),
    ("history of itself", body("h = []", "h.append(h)", "return simulate(other, h)"), EXCEPTION),
    ("history of objects", body("return simulate(other, [[1, 2]])"), EXCEPTION),
    ("source of another type", body("return simulate(7, [])"), EXCEPTION),
    ("other arguments", body("return simulate(source=other, history=[], depth=-1)"), EXCEPTION),
    ("simulates a fine program", body("return simulate(other, [['D', 'C'], ['C', 'D']])"), "C"),
    ("tree of a huge source", body("syntax_tree('x' * 10**6)"), EXCEPTION),
    ("tree of a deep source", body("syntax_tree('-' * 5000 + '1')"), EXCEPTION),
    ("tree of junk", body("syntax_tree('(')"), EXCEPTION),
    ("tree of a surrogate", body(r"syntax_tree('\ud800')"), EXCEPTION),
    (
        "trees for ever",
        body("while True:", "    try: syntax_tree('x = 1\\n' * 3000)", "    except BaseException: pass"),
        LIMIT,
    ),
]

BOMBS = [*TIME, *MEMORY, *DEPTH, *OUTPUT, *HOST]
