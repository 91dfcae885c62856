"""What a page gives away, and what strangers' words can do in it: nothing."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import Visitor, phrase

from econzoo.evaluate.serving import ANYBODY, LOCAL_NAMES, Rules
from econzoo.people.table_server import build_folder_app

HOSTILE = (
    "<img src=x onerror=alert(1)><script>alert(2)</script></textarea>'\"&amp; "
    "[x](javascript:alert(3)) \u202ekcab \U0001f600 =1+1 {{ 7 * 7 }}\n<b>line</b>"
)

ALLOWED = {
    "html",
    "head",
    "meta",
    "title",
    "link",
    "body",
    "a",
    "header",
    "div",
    "img",
    "span",
    "main",
    "h1",
    "h2",
    "p",
    "details",
    "summary",
    "ol",
    "li",
    "bdi",
    "section",
    "form",
    "input",
    "label",
    "textarea",
    "button",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "b",
    "q",
    "small",
    "script",
    "noscript",
    "fieldset",
    "legend",
}


def elements(visitor: Visitor) -> list[str]:
    return [tag for tag, _ in visitor.page.elements]


def test_hostile_words_make_no_element(visit):
    alice, bob = visit(), visit()
    alice.start("bargaining", player_1="human", param_horizon="2")
    bob.open(alice.invitations[0])
    calm = visit()
    calm.start("bargaining", player_1="human", param_horizon="2")
    calm.move("offer", gain="6000", words="Fine")
    alice.move("offer", gain="6000", words=HOSTILE)
    bob.look()
    assert elements(alice) == elements(calm)
    for page in (alice, bob):
        assert set(elements(page)) <= ALLOWED
        assert "&lt;img src=x onerror=alert(1)&gt;" in page.text
        assert "\u202e" not in page.text
        assert "{{ 7 * 7 }}" in page.text
    bob.move("accept")
    assert elements(bob).count("script") == 1
    assert [given for tag, given in bob.page.elements if tag == "img"] == [
        {"src": "/static/icon.svg", "alt": "", "width": "26", "height": "26"}
    ]


def test_hostile_names_of_games_players_and_parameters_are_shown_as_text(visit):
    visitor = visit()
    for given in ({"player_1": HOSTILE}, {"param_money": HOSTILE}, {"seed": HOSTILE}):
        visitor.start("bargaining", **given)
        assert visitor.status == 422
        assert "<img src=x" not in visitor.text
        assert "<script>" not in visitor.text


def test_no_seat_receives_what_only_the_other_may_know(visit):
    """The good is worth $987 to the seller and $999 to the buyer: neither receives the number of the other."""
    values = {"param_money": "1000", "param_seller_value": "0.987", "param_buyer_value": "0.999", "param_horizon": "3"}
    seller, buyer = visit(), visit()
    seller.start("negotiation", player_1="human", param_complete_information="false", **values)
    buyer.open(seller.invitations[0])
    assert "987" in seller.text.split("<main", 1)[1]
    assert "999" in buyer.text.split("<main", 1)[1]
    seller.move("offer", gain="", price="995")
    buyer.look()
    buyer.move("reject")
    seller.look()
    buyer.received += [buyer.client.get(f"{buyer.path}/table").text]
    seller.received += [seller.client.get(f"{seller.path}/table").text]
    assert "$999" not in "".join(seller.received)
    assert "$987" not in "".join(buyer.received)
    assert seller.record().status_code == buyer.record().status_code == 404


def test_a_sealed_move_is_hidden_until_all_are_in(visit):
    first, second = visit(), visit()
    first.start("matrix", player_1="human", param_rounds="2")
    second.open(first.invitations[0])
    first.move("D", words="betrayal")
    second.look()
    assert "betrayal" not in second.text
    second.move("C")
    assert "betrayal" in second.text


ADDRESSES = ["/", "/?game=bargaining", "/s/none", "/nothing", "/static/web.js", "/static/web.css", "/?game=none"]


def test_every_answer_has_the_headers(visit):
    for address in ADDRESSES:
        headers = visit().client.get(address).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy, address
        assert "unsafe" not in policy, address
        assert "frame-ancestors 'none'" in policy, address
        assert headers["referrer-policy"] == "no-referrer", address
        assert headers["x-content-type-options"] == "nosniff", address
        assert headers["cache-control"] == "no-store", address


def test_pages_have_no_script_and_no_style_of_their_own_and_nothing_from_elsewhere(visit):
    visitor = visit()
    visitor.client.get("/")
    visitor.start("coin_game")
    for tag, given in visitor.page.elements:
        assert "style" not in given
        assert not [name for name in given if name.startswith("on")]
        assert tag != "style"
        assert not given.get("src", given.get("href", "/")).startswith(("http", "//"))
        assert tag != "script" or given == {"src": "/static/web.js", "defer": ""}


def test_a_guessed_seat_is_not_found(visit):
    for path in ("", "/table", "/events", "/record.jsonl"):
        answer = visit().client.get(f"/s/AAAAAAAAAAAAAAAAAAAAAAAA{path}")
        assert answer.status_code == 404, path
        assert phrase("error.lost") in answer.text


def test_a_guessed_seat_cannot_move(visit):
    assert visit().client.post("/s/AAAAAAAAAAAAAAAAAAAAAAAA/move", data={"kind": "accept"}).status_code == 404


def test_tokens_are_long_and_different(visit):
    visitor = visit()
    visitor.start("bargaining", player_1="human")
    tokens = [path.removeprefix("/s/") for path in (visitor.path, *visitor.invitations)]
    assert [len(token) for token in tokens] == [24, 24]  # 144 bits, six a character
    assert len({*tokens}) == 2


def test_forms_of_other_sites_are_refused(visit):
    for headers in ({"origin": "https://elsewhere.example"}, {"sec-fetch-site": "cross-site"}):
        answer = visit().client.post("/", data={"game": "bargaining"}, headers=headers)
        assert answer.status_code == 403, headers


def test_a_form_that_is_too_long_is_refused(visit):
    assert visit().client.post("/", data={"game": "x" * ANYBODY.max_bytes}).status_code == 413


def test_only_names_of_this_machine_are_answered_where_it_is_asked_for(tmp_path):
    client = TestClient(build_folder_app(tmp_path, Rules(LOCAL_NAMES)), base_url="http://elsewhere.example")
    assert client.get("/").status_code == 400


def test_players_that_are_offered_can_be_chosen(tmp_path):
    visitor = Visitor(TestClient(build_folder_app(tmp_path, offered_players=("mock:no json",))))
    visitor.start("matrix", player_1="mock:no json", param_rounds="1")
    assert visitor.status == 200
