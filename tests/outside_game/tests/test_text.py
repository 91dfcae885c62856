"""What players of the trust game read."""

from __future__ import annotations

import econzoo


def test_the_trustee_reads_what_arrived() -> None:
    env = econzoo.make("trust", face="text")
    env.reset(seed=0)
    assert "You are the investor." in env.last()[0]["text"]
    env.step('{"kind": "send", "amount": 4, "message": "Half each?"}')
    read = env.last()[0]["text"]
    assert "You are the trustee." in read
    assert 'the investor sent $4 and said: "Half each?"' in read
    assert "$12 have arrived" in read
