"""Options as they are typed into forms: no number is taken for another one, and what is wrong is told."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from econzoo.envs.core.contract.options import Option, declared_in
from econzoo.envs.core.contract.parameters import OneOf, OrNone, Real, Whole
from econzoo.people.manage.judgings import Asked
from econzoo.people.manage.monitor import asked_of
from econzoo.people.manage.new_collection import Collected
from econzoo.people.server.fields import Fields, ShortText, count_in, number_of
from econzoo.people.server.site import HERE, new_site
from econzoo.people.table.choices import SEED
from econzoo.people.table.terms import Terms
from econzoo.people.texts import languages, texts_of


@pytest.fixture(autouse=True)
def here(request):
    """In the language of the test, by default English."""
    params = getattr(request.node, "callspec", None)
    before = HERE.set(new_site(texts=(params.params if params else {}).get("lang", "en")))
    yield
    HERE.reset(before)


class Form(NamedTuple):
    count: Annotated[int, Option(Whole(1, 20), "How many.")] = 3
    cost: Annotated[float | None, Option(OrNone(Real(0, above=True)), "How dear.")] = None
    kind: Annotated[str, Option(OneOf("one", "two"), "Which.")] = "one"
    title: Annotated[str, Option(ShortText(4), "What it is called.")] = ""


LABELS = {"count": "manage.seeds", "cost": "manage.max_cost", "kind": "terms.policy", "title": "manage.name"}


def form(**typed: str) -> Fields:
    return Fields(declared_in(Form), LABELS, typed)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ({}, Form()),
        ({"count": " 07 ", "cost": " "}, Form(count=7)),
        ({"count": "0000000000010", "cost": "$1,000.5"}, Form(count=10, cost=1000.5)),
        ({"count": "20", "cost": "5", "kind": "two", "title": " abc "}, Form(20, 5.0, "two", "abc")),
    ],
)
def test_what_is_typed_is_read_and_nothing_is_the_default(typed, read):
    assert Form(**form(**typed).values()) == read


COUNT = "Repetitions: {!r} is not allowed; allowed: a whole number from 1 to 20, or nothing"


@pytest.mark.parametrize("typed", ["0", "21", "-7", "1.0", "1e1", "\u00b2", "x", "1_0", "0" * 40 + "1", "9" * 5000])
def test_what_is_not_allowed_is_told_with_what_is(typed):
    with pytest.raises(ValueError) as caught:
        form(count=typed).values()
    assert str(caught.value) == COUNT.format(typed[:40])


@pytest.mark.parametrize("typed", [{"cost": "0"}, {"cost": "free"}, {"kind": "three"}, {"title": "abcde"}])
def test_each_domain_refuses(typed):
    with pytest.raises(ValueError, match="is not allowed; allowed: "):
        form(**typed).values()


def test_a_field_is_shown_as_it_is_declared():
    fields = {one.name: one for one in form(kind="two")}
    assert [one.mode for one in fields.values()] == ["numeric", "decimal", "", ""]
    assert [*fields["kind"].options] == ["one", "two"]
    assert (fields["kind"].value, fields["title"].longest, fields["count"].doc) == ("two", 4, "How many.")


@pytest.mark.parametrize(
    ("lang", "typed", "read"),
    [
        ("en", "1,000", 1000),
        ("en", "1,234,567.5", 1234567.5),
        ("en", "1.5", 1.5),
        ("en", "-3", -3),
        ("en", "1,5", None),
        ("en", "1,0000", None),
        ("de", "1,5", 1.5),
        ("de", "1.000", 1000),
        ("de", "1.5", None),
        *[
            ("en", typed, None)
            for typed in ("", "nan", "inf", "1e5", "1_000", "$1", "1 000", "1" * 41, "\N{PILE OF POO}")
        ],
    ],
)
def test_a_number_in_the_language_of_the_pages(lang, typed, read):
    assert number_of(typed) == (typed if read is None else read)


@pytest.mark.parametrize("lang", ["en", "de"])
def test_what_stands_in_an_input_can_be_sent_as_it_is(lang):
    fields = Fields(declared_in(Form), LABELS, {}, {"cost": 2.5, "count": 12})
    again = Fields(declared_in(Form), LABELS, {one.name: one.value for one in fields})
    assert again.values()["cost"] == 2.5
    assert again.values()["count"] == 12


@pytest.mark.parametrize("typed", ["", "-1", "1.0", "x", "\u00b2", "9" * 10])
def test_an_address_without_a_number_has_another_one(typed):
    assert (count_in(typed, 3), count_in("7", 3)) == (3, 7)


@pytest.mark.parametrize("lang", sorted({*languages()} - {"en"}))
def test_every_form_is_told_in_every_language(lang):
    """Meanings of options, and what is allowed where that is words or a range."""
    forms = [*map(declared_in, (Asked, Collected, Terms)), [SEED]]
    known = texts_of(lang)
    for option in [one.option for declared in forms for one in declared]:
        assert known.phrase(option.meaning) != option.meaning
        domain = option.domain.domain if isinstance(option.domain, OrNone) else option.domain
        assert known.phrase(domain.allowed) != domain.allowed
    assert {one.doc for one in asked_of({}, 3)} <= {*known.words.values()}
