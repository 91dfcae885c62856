"""Data flow of a parameter through the assignments, loops and own functions of a program.

A name is marked while its value may come from the parameter. An expression is marked if a part of it is. Marks go
through plain, augmented and annotated assignment, tuple targets (part by part where the value is a tuple of the same
length), ``:=``, loops, comprehensions, ``with ... as`` and captures of ``match``. An assignment to ``a[i]`` marks
``a``. A call of an own function with a marked argument marks that parameter (by position or by keyword), and a
function that is given to a marked call, as in ``map(f, source)``, has all its parameters marked. Branches are
joined: a mark of one branch holds after both.

Not followed: control flow (the test of an ``if`` marks nothing assigned in its branches), ``global`` and ``nonlocal``,
and methods that change their object (``lines.append(source)``).
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from econzoo.evaluate.analyses.programs.syntax import Function, OwnFunction, all_parameters, assignment_pairs, bind
from econzoo.evaluate.analyses.programs.syntax import bind_name, captured_names, default_values, dotted_name
from econzoo.evaluate.analyses.programs.syntax import own_functions, positional_parameters, variadic_name

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
Marks = set[str]


class Flow:
    """Data flow of the last parameter of a function.

    The program is read repeatedly, each time with the marks of parameters and loop heads from the last pass, until
    they stay as they are. Marks only grow between passes, so this ends.
    """

    def __init__(self, tree: ast.Module, entry: Function) -> None:
        self._tree = tree
        self._functions_by_name = own_functions(tree)
        self._carried_marks: defaultdict[ast.AST, Marks] = defaultdict(set)
        """Marked parameters of functions; marks that loops carry between iterations."""
        self._outer_marks: defaultdict[ast.AST, Marks] = defaultdict(set)
        """Marks of the enclosing scope at calls of nested functions."""
        self._counted_statements: set[ast.AST] = set()
        self._statement: ast.AST = tree
        self._carried_marks[entry].update(positional_parameters(entry)[-1:])

    def counted_statements(self) -> set[ast.AST]:
        """Return the statements with a marked call, binary operation or comparison, or a loop over a marked value."""
        # Nothing is ever removed from what is counted here, so an equal size is an equal state. The left side is the
        # size before this pass, because it is evaluated before the assignment.
        previous = -1
        while previous != (previous := self._size()):
            self._block(self._tree.body, set())
        return self._counted_statements

    def _size(self) -> int:
        return len(self._counted_statements) + sum(
            len(marks) for by_node in (self._carried_marks, self._outer_marks) for marks in by_node.values()
        )

    # Statements

    def _block(self, statements: Iterable[ast.stmt], marks: Marks) -> None:
        """Read statements in order, updating `marks` in place."""
        for statement in statements:
            # Expressions count for the innermost statement; after a block the statement around it goes on.
            outer, self._statement = self._statement, statement
            self._read(statement, marks)
            self._statement = outer

    def _read(self, statement: ast.stmt, marks: Marks) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                bind_name(statement.name, self._read_function(statement, marks), marks)
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, marks)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign([target], value, marks)
            case ast.AugAssign(target=target, value=value):
                bind(target, self._mark_computation([target, value], marks), marks)
            case ast.For(iter=over) | ast.AsyncFor(iter=over):
                self._loop(statement, marks, statement.target, self._mark_computation([over], marks))
            case ast.While(test=test):
                self._value(test, marks)
                self._loop(statement, marks)
            case ast.If(test=test, body=body, orelse=other):
                self._value(test, marks)
                self._branches([body, other], marks)
            case ast.Try() | ast.TryStar():
                self._read_try(statement, marks)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                self._read_with(items, marks)
                self._block(body, marks)
            case ast.Match(subject=subject, cases=cases):
                self._read_match(subject, cases, marks)
            case ast.ClassDef(body=body):
                self._block(body, marks)
            case _:
                self._any_marked(ast.iter_child_nodes(statement), marks)

    def _read_function(self, function: OwnFunction, marks: Marks) -> bool:
        """Read an own function; return whether it uses a marked value of the enclosing scope."""
        for name, default in default_values(function):
            if self._value(default, marks):
                self._carried_marks[function].add(name)
        # A closure sees the marks at its definition and at its calls, except under its parameters, which hide them.
        around = (marks | self._outer_marks[function]) - set(all_parameters(function))
        inside = around | self._carried_marks[function]
        if isinstance(function, ast.Lambda):
            self._value(function.body, inside)
        else:
            self._block(function.body, inside)
        return any(isinstance(node, ast.Name) and node.id in around for node in ast.walk(function))

    def _loop(
        self,
        loop: ast.For | ast.AsyncFor | ast.While,
        marks: Marks,
        target: ast.expr | None = None,
        marked: bool = False,
    ) -> None:
        marks |= self._carried_marks[loop]
        inside = set(marks)
        if target is not None:
            bind(target, marked, inside)
        self._block(loop.body, inside)
        if isinstance(loop, ast.While):
            self._value(loop.test, inside)
        self._carried_marks[loop] |= inside
        marks |= inside  # joined with the marks before the loop: it may not run at all
        self._block(loop.orelse, marks)

    def _branches(self, blocks: Iterable[Sequence[ast.stmt]], marks: Marks) -> None:
        """Read alternative blocks; marks of any of them hold."""
        common = set(marks)
        marks.clear()  # exactly one block runs: a mark that all of them clear is gone
        for block in blocks:
            inside = set(common)
            self._block(block, inside)
            marks |= inside

    def _read_try(self, statement: ast.Try | ast.TryStar, marks: Marks) -> None:
        common = set(marks)
        self._block([*statement.body, *statement.orelse], marks)
        after = common | marks  # an error may come before or after any assignment
        for handler in statement.handlers:
            inside = set(after)
            self._block(handler.body, inside)
            marks |= inside
        self._block(statement.finalbody, marks)

    def _read_with(self, items: Iterable[ast.withitem], marks: Marks) -> None:
        for item in items:
            marked = self._value(item.context_expr, marks)
            if item.optional_vars is not None:
                bind(item.optional_vars, marked, marks)

    def _read_match(self, subject: ast.expr, cases: Sequence[ast.match_case], marks: Marks) -> None:
        marked, common = self._mark_computation([subject], marks), set(marks)
        for case in cases:
            inside = set(common)
            for name in captured_names(case.pattern):
                bind_name(name, marked, inside)
            if case.guard is not None:
                self._value(case.guard, inside)
            self._block(case.body, inside)
            marks |= inside  # marks before stay, because no case may match

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr, marks: Marks) -> None:
        marked = self._value(value, marks)
        for target in targets:
            pairs = assignment_pairs(target, value)
            # All parts are evaluated, then bound: `a, b = b, a`.
            values = [(part, marked if len(pairs) == 1 else self._value(of, marks)) for part, of in pairs]
            for part, is_marked in values:
                bind(part, is_marked, marks)

    # Expressions

    def _value(self, node: ast.AST, marks: Marks) -> bool:
        """Read an expression; return whether it is marked."""
        match node:
            case ast.Name(id=name):
                return name in marks
            case ast.Attribute(value=value):
                return self._value(value, marks) or dotted_name(node) in marks
            case ast.NamedExpr(target=target, value=value):
                marked = self._value(value, marks)
                bind(target, marked, marks)
                return marked
            case ast.Lambda():
                return self._read_function(node, marks)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, marks)
            case ast.Call():
                return self._call(node, marks)
            case ast.BinOp(left=left, right=right):
                return self._mark_computation([left, right], marks)
            case ast.Compare(left=left, comparators=others):
                return self._mark_computation([left, *others], marks)
        return self._any_marked(ast.iter_child_nodes(node), marks)

    def _any_marked(self, nodes: Iterable[ast.AST], marks: Marks) -> bool:
        are_marked = [self._value(node, marks) for node in nodes]  # a list: parts after a marked one must be read too
        return any(are_marked)

    def _mark_computation(self, operands: Iterable[ast.AST], marks: Marks) -> bool:
        """Read the operands of a computation; count its statement if one is marked."""
        marked = self._any_marked(operands, marks)
        if marked:
            self._counted_statements.add(self._statement)
        return marked

    def _comprehension(self, node: Comprehension, marks: Marks) -> bool:
        inside, marked = set(marks), False  # a scope of its own: its targets are unknown outside
        for loop in node.generators:
            over = self._mark_computation([loop.iter], inside)
            bind(loop.target, over, inside)
            self._any_marked(loop.ifs, inside)
            marked = marked or over
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        marked = self._any_marked(parts, inside) or marked
        # `:=` assigns outside of the scope.
        named = {one.target.id for one in ast.walk(node) if isinstance(one, ast.NamedExpr)}
        marks |= named & inside
        return marked

    def _call(self, node: ast.Call, marks: Marks) -> bool:
        given = [(one, self._value(one, marks)) for one in node.args]
        named = [(one, self._value(one.value, marks)) for one in node.keywords]
        called = self._value(node.func, marks)
        marked = called or any(found for _, found in (*given, *named))
        if marked:
            self._counted_statements.add(self._statement)
            for function in self._functions([*node.args, *(one.value for one in node.keywords)]):
                self._carried_marks[function].update(all_parameters(function))
        for function in self._functions([node.func]):
            self._carried_marks[function].update(
                _marked_positionals(function, given), _marked_keywords(function, named)
            )
            # Functions of the module do not see local names of their callers.
            if function not in self._tree.body:
                self._outer_marks[function] |= marks
        return marked

    def _functions(self, nodes: Iterable[ast.expr]) -> Iterator[OwnFunction]:
        """Yield the own functions that expressions name or define."""
        for node in nodes:
            if isinstance(node, ast.Lambda):
                yield node
            elif isinstance(node, ast.Name):
                yield from self._functions_by_name[node.id]


def _marked_positionals(function: OwnFunction, given: Iterable[tuple[ast.expr, bool]]) -> Iterator[str]:
    """Yield the parameters bound to marked positional arguments."""
    names = positional_parameters(function)
    for at, (one, marked) in enumerate(given):
        if marked:
            spread = isinstance(one, ast.Starred)
            yield from all_parameters(function) if spread else names[at : at + 1] or variadic_name(function.args.vararg)


def _marked_keywords(function: OwnFunction, named: Iterable[tuple[ast.keyword, bool]]) -> Iterator[str]:
    every = all_parameters(function)
    for one, marked in named:
        if marked and one.arg is None:
            yield from every
        elif marked:
            yield from [one.arg] if one.arg in every else variadic_name(function.args.kwarg)  # type: ignore[list-item]
