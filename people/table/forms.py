"""Move forms built from the game's declared moves, and parsing of their inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.baselines import Questions, capitalise, items_of, legal_fields
from econzoo.envs.core.contract import Game, Invalid, Kind, Legal, Message, Seat, Source
from econzoo.envs.core.faces import MAX_EXTRA, Wording, render_reply
from econzoo.people.server import EMPTY_MAPPING, texts
from econzoo.people.table.drawing import contribution_notes
from econzoo.people.table.person import OpenQuestion, Person

MOVE_PREFIX = "move."
"""Prefix of a move's field names, to separate them from other inputs of the form."""

GAME_TEMPLATES = {
    "coin_game": "moves_board.html",
    "water_allocation": "moves_day.html",
    "matrix": "moves_matrix.html",
    "public_goods": "moves_points.html",
}
"""Games with their own move form."""

GENERIC_TEMPLATE, EDITOR_TEMPLATE = "moves.html", "moves_editor.html"

SEAT_PREFIX = "Number of "
"""Prefix of a seat field's description, removed where seat names are chosen instead of numbers."""

FormValues = Mapping[str, str]
"""Submitted texts by input key."""


class Input(NamedTuple):
    """One input of a form.

    Attributes:
        sort: ``number``, ``option``, ``words``, ``source``, or ``only``: a single possible value.
        longest: Maximum length in characters.
        field: JSON schema of the field.
        unit: Unit of a number.
        rest: Live text while a number is typed: ``{own}`` is the number, ``{rest}`` the maximum minus it.
        is_part: Whether it is one of several numbers of a group.
    """

    key: str
    label: str
    sort: str
    hint: str = ""
    options: Sequence[str] = ()
    longest: int = 0
    field: Mapping[str, Any] = {}
    unit: str = ""
    rest: str = ""
    is_part: bool = False


class Form(NamedTuple):
    """Kinds of move with the same inputs."""

    inputs: list[Input]
    buttons: list[tuple[str, str]]


def move_template(game: Game) -> str:
    """Template of a game's moves: a generic one, except for boards, tables and programs."""
    return GAME_TEMPLATES.get(game.name, EDITOR_TEMPLATE if game.actions.source else GENERIC_TEMPLATE)


def build_forms(person: Person, asked: OpenQuestion) -> MoveForms:
    """Build the forms of a question to a person, which another request may already have answered."""
    game = person.info.game
    others = [name for seat, name in enumerate(person.names) if seat != person.seat]
    groups = [name for kind in game.actions.kinds for name in kind.groups]
    own = texts().games.get(game.name, {})
    labels = {name: own[f"others.{name}"] for name in groups if f"others.{name}" in own}
    notes = contribution_notes(game.name, asked.seen.view, texts()) if asked.seen else []
    rest = {name.removeprefix("rest."): text for name, text in own.items() if name.startswith("rest.")}
    buttons = {name.removeprefix("buttons."): text for name, text in own.items() if name.startswith("buttons.")}
    return MoveForms(person.wording, asked.legal, others, labels, notes, rest, person.names, buttons)


class MoveForms:
    """Forms of the legal moves, with their parsing.

    Args:
        others: Names of the other seats, in seat order.
        group_labels: Label template of a group's number for another seat, by field name.
        group_notes: Note beside that number for each other seat, in seat order.
        rest_texts: Live text while a number is typed, by field name.
        seats: Names of all seats; empty: moves use seat numbers.
        buttons: Button labels by kind of move, where not its name.
    """

    def __init__(
        self,
        words: Wording,
        legal: Legal,
        others: Sequence[str] = (),
        group_labels: Mapping[str, str] = EMPTY_MAPPING,
        group_notes: Sequence[str] = (),
        rest_texts: Mapping[str, str] = EMPTY_MAPPING,
        seats: Sequence[str] = (),
        buttons: Mapping[str, str] = EMPTY_MAPPING,
    ) -> None:
        self._others, self._group_labels, self._group_notes, self._rest_texts = (
            others,
            group_labels,
            group_notes,
            rest_texts,
        )
        self._seats, self._buttons = seats, buttons
        self._words, self._legal, self._actions = words, legal, words.actions
        # Only its hints and its reading of amounts are used: it asks and tells nobody.
        self._questions = Questions(words.actions, lambda prompt: "", lambda text: None, words)
        self._fields = legal_fields(words.actions, words.actions.json_schema(legal))

    @property
    def forms(self) -> list[Form]:
        """One form per set of inputs, bare buttons first; a single bare button is labelled as continuing."""
        forms: list[Form] = []
        for name in self._fields:
            kind = self._find_kind(name)
            inputs, button = self.inputs_of(name), (name, self._button_label(kind))
            same = next((form for form in forms if form.inputs == inputs), None)
            if same is None:
                forms.append(Form(inputs, [button]))
            else:
                same.buttons.append(button)
        if [(form.inputs, len(form.buttons)) for form in forms] == [([], 1)]:
            return [Form([], [(forms[0].buttons[0][0], texts().say("table.go_on"))])]
        return sorted(self._distinguish_messages(forms), key=lambda form: bool(form.inputs))

    def _distinguish_messages(self, forms: Sequence[Form]) -> Iterator[Form]:
        """Give message boxes of different forms distinct labels."""
        boxes = [one.label for form in forms for one in form.inputs if one.sort == "words"]
        for form in forms:
            name = texts().say("table.or").join([label for _, label in form.buttons])
            inputs = [
                one._replace(label=texts().say("table.message_with", label=one.label, move=name))
                if one.sort == "words" and boxes.count(one.label) > 1
                else one
                for one in form.inputs
            ]
            yield form._replace(inputs=inputs)

    def _find_kind(self, name: str) -> Kind:
        return self._actions.kinds[self._actions.index[name]]

    def _button_label(self, kind: Kind) -> str:
        return self._buttons.get(kind.name) or capitalise((self._words.name(kind) or kind.name).replace("_", " "))

    def _list_inputs(self, kind: Kind) -> Iterator[Input]:
        for name, mark in kind.marks.items():
            field = self._fields[kind.name].get(name)
            if field is None:
                continue
            key, label = f"{MOVE_PREFIX}{name}", capitalise(self._words.doc(name, mark.doc))
            if isinstance(mark, Source):
                yield Input(key, label, "source", longest=mark.max_length)
            elif isinstance(mark, Message):
                own = self._words.doc(name, mark.doc) != mark.doc or len(self._others) != 1
                to = label if own else texts().say("table.message", who=self._others[0])
                yield Input(key, to, "words", longest=field["maxLength"])
            elif field["type"] == "array":
                yield from self._group_inputs(key, label, items_of(field), mark.are_guards)
            else:
                value, rest = self._value_input(key, label, field, mark.are_guards), self._rest_texts.get(name, "")
                if isinstance(mark, Seat) and self._seats and value.sort == "number":
                    value = self._seat_input(value)
                yield value._replace(unit=mark.unit and (texts().points or mark.unit), rest=self._fill_rest(rest))
        for key, doc in self._words.extra.items():
            yield Input(f"extra.{key}", capitalise(doc), "words", longest=MAX_EXTRA)

    def _group_inputs(
        self, key: str, label: str, items: Sequence[Mapping[str, Any]], guards: tuple[bool, bool]
    ) -> Iterator[Input]:
        labels = [capitalise(item["description"]) for item in items]
        if (template := self._group_labels.get(key.removeprefix(MOVE_PREFIX))) is not None:
            labels = [capitalise(template.format(who=who)) for who in self._others]
            if self._group_notes:
                labels = [f"{one} ({note})" for one, note in zip(labels, self._group_notes, strict=True)]
        # All alike: number them.
        elif labels[1:] == labels[:-1]:
            several = self._words.prompts["person.one_of_several"]
            labels = [several.format(what=label, place=place, count=len(items)) for place in range(1, len(items) + 1)]
        for place, item in enumerate(items):
            value = self._value_input(f"{key}.{place}", labels[place], item, guards)
            yield value._replace(
                rest=self._fill_rest(self._rest_texts.get(key.removeprefix(MOVE_PREFIX), "")), is_part=True
            )

    def _seat_input(self, one: Input) -> Input:
        """Replace the input of a seat number by a choice of seat names."""
        names = self._seats[int(one.field["minimum"]) : int(one.field["maximum"]) + 1]
        return one._replace(
            label=capitalise(one.label.removeprefix(SEAT_PREFIX)), sort="option", options=names, hint=""
        )

    def _fill_rest(self, rest: str) -> str:
        """Insert the other player's name into a live text."""
        return rest.replace("{who}", self._others[0] if self._others else "")

    def _value_input(self, key: str, label: str, field: Mapping[str, Any], guards: tuple[bool, bool]) -> Input:
        # The defaults differ, so a field without bounds is not single-valued.
        if field.get("minimum", 0) == field.get("maximum", 1):
            return Input(key, label, "only", field=field)
        if "enum" in field:
            return Input(key, label, "option", options=tuple(field["enum"]), field=field)
        return Input(key, label, "number", self._questions.hint(field, guards), field=field)

    def inputs_of(self, kind: str) -> list[Input]:
        """Inputs of a legal kind of move."""
        return list(self._list_inputs(self._find_kind(kind)))

    # -- parsing -----------------------------------------------------------------------------------------------

    def read(self, given: FormValues) -> str | dict[str, str]:
        """Parse a submitted form to an answer, or to problems by input key (``""``: the whole move)."""
        name = given.get("kind", "")
        if name not in self._fields:
            names = ", ".join(self._button_label(self._find_kind(one)) for one in self._fields)
            return {"": texts().say("move.unknown", move=repr(name[:40]), allowed=names)}
        kind = self._find_kind(name)
        inputs = self.inputs_of(name)
        values = {one.key: self._read_input(one, given.get(one.key, "")) for one in inputs}
        problems = {key: value.text for key, value in values.items() if isinstance(value, Invalid)}
        return problems or self._parse_move(kind, values)

    def _read_input(self, one: Input, typed: str) -> Any:
        """Parse an input to its value or an `Invalid`."""
        typed = typed.replace("\r\n", "\n")
        if one.sort in ("words", "source"):
            if len(typed) <= one.longest:
                return typed if one.sort == "source" else typed.strip()
            problem = texts().say("move.too_long", label=one.label, length=len(typed), longest=one.longest)
            return Invalid("too_long", problem)
        if one.sort == "only":
            return one.field["minimum"]
        if one.sort == "option":
            options = ", ".join(one.options)
            problem = texts().say("move.no_option", label=one.label, typed=repr(typed[:40]), allowed=options)
            if typed not in one.options:
                return Invalid("unknown", problem)
            return typed if "enum" in one.field else int(one.field["minimum"]) + one.options.index(typed)
        amount = self._questions.amount(typed.strip(), one.field)
        if not isinstance(amount, str):
            return amount
        # Some messages quote the number already.
        name = "move.amount" if typed[:40] in amount else "move.wrong_amount"
        return Invalid("amount", texts().say(name, label=one.label, typed=repr(typed[:40]), problem=amount))

    def _parse_move(self, kind: Kind, values: Mapping[str, Any]) -> str | dict[str, str]:
        """Build the answer from valid inputs, and check the whole move."""
        plain: dict[str, Any] = {} if len(self._actions.kinds) == 1 else {"kind": kind.name}
        for name in kind.marks:
            key = f"{MOVE_PREFIX}{name}"
            if name in kind.groups:
                plain[name] = [value for part, value in values.items() if part.startswith(f"{key}.")]
            # An empty message is none; an empty program is a (wrong) move.
            elif key in values and (values[key] != "" or kind.source):
                plain[name] = values[key]
        move = self._problem(kind, plain) or self._actions.parse(plain, self._legal)
        if isinstance(move, Invalid):
            key = f"{MOVE_PREFIX}{next(iter(kind.marks))}" if kind.source else ""
            return {key: capitalise(self._error_text(self._words.translate_error(move)))}
        extra = {key: words for key in self._words.extra if (words := values.get(f"extra.{key}"))}
        return render_reply(self._words, move, self._legal, extra)

    def _error_text(self, problem: Invalid) -> str:
        """Format an error as the prompts do; see docs/prompts.md."""
        return self._words.prompts.get(f"error.{problem.code}", "{problem}").format(problem=problem.text, key="")

    def _problem(self, kind: Kind, plain: Mapping[str, Any]) -> Invalid | None:
        """Why a source text is not a valid move, in games whose moves are texts."""
        return kind.source.problem(plain[next(iter(kind.marks))]) if kind.source else None
