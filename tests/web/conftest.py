"""A server in this process, and visitors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("httpx", reason="the test client of the web table needs httpx")

from starlette.testclient import TestClient
from visitor import Visitor

from econzoo.evaluate.web.server import app_in

Visit = Callable[[], Visitor]


@pytest.fixture
def visit(tmp_path: Path) -> Visit:
    """Makes visitors of one server, each with a browser of their own."""
    app = app_in(tmp_path)
    return lambda: Visitor(TestClient(app))
