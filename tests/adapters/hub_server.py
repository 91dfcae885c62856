"""A Hugging Face Hub on loopback: as much of it as uploads by commit and downloads by `datasets` ask for.

Repositories are dictionaries of files in memory. Large files come as LFS objects, as with the real one, but not by xet.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

KIND = r"(?P<kind>datasets|models)"
REPO = r"(?P<repo>[^/]+/[^/]+)"
LFS = (".parquet", ".zip", ".safetensors")


class Hub(ThreadingHTTPServer):
    """The server.

    Attributes:
        files: (kind, repository) to path to content.
        private: Repositories that are.
        requests: Method and path of all that came.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[tuple[str, str], dict[str, bytes]] = {}
        self.blobs: dict[str, bytes] = {}
        self.private: set[str] = set()
        self.requests: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def commit_id(self, files: dict[str, bytes]) -> str:
        return sha1(repr(sorted(files.items())).encode()).hexdigest()


@contextmanager
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        self.query = parse_qs(address.query)
        path, self.body = unquote(address.path), self._read()
        self.server.requests.append(f"{self.command} {path}")
        for pattern, answer in ROUTES:
            if found := re.fullmatch(pattern, path):
                named = found.groupdict()
                if "repo" in named:
                    self.kind, self.repo = named.pop("kind") or "models", named.pop("repo")
                    if (self.kind, self.repo) not in self.server.files:
                        return self.say({"error": "no such repository"}, 404, {"X-Error-Code": "RepoNotFound"})
                    self.held = self.server.files[self.kind, self.repo]
                return answer(self, **named)
        return self.say({"error": f"nothing at {path}"}, 404, {"X-Error-Code": "EntryNotFound"})

    do_POST = do_PUT = do_HEAD = do_GET  # noqa: N815

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def say(self, answer: Any, code: int = 200, headers: dict[str, str] | None = None) -> None:
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(code)
        for name, value in {**(headers or {}), "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def whoami(self) -> None:
        if self.headers.get("Authorization") != "Bearer hf_writer":
            return self.say({"error": "Invalid username or password."}, 401)
        return self.say({"name": "u", "type": "user", "auth": {"accessToken": {"role": "write"}}})

    def create(self) -> None:
        if self.headers.get("Authorization") != "Bearer hf_writer":
            return self.say({"error": "Invalid username or password."}, 401)
        given = json.loads(self.body)
        repo, kind = f"{given.get('organization') or 'u'}/{given['name']}", f"{given.get('type') or 'model'}s"
        self.server.files.setdefault((kind, repo), {})
        if given.get("private") or given.get("visibility") == "private":
            self.server.private.add(repo)
        place = "datasets/" if kind == "datasets" else ""
        return self.say({"url": f"{self.server.url}/{place}{repo}", "name": repo, "id": repo})

    def check_yaml(self) -> None:
        self.say({"errors": [], "warnings": []})

    def preupload(self) -> None:
        files = json.loads(self.body)["files"]
        modes = [("lfs" if one["path"].endswith(LFS) else "regular") for one in files]
        told = [
            {"path": one["path"], "uploadMode": mode, "shouldIgnore": False}
            for one, mode in zip(files, modes, strict=True)
        ]
        self.say({"files": told})

    def batch(self) -> None:
        wanted = json.loads(self.body)["objects"]
        told = [{**one, "actions": {"upload": {"href": f"{self.server.url}/blob/{one['oid']}"}}} for one in wanted]
        self.say({"transfer": "basic", "objects": told})

    def blob(self, oid: str) -> None:
        self.server.blobs[oid] = self.body
        self.say({})

    def commit(self) -> None:
        for line in self.body.splitlines():
            change = json.loads(line)
            value = change["value"]
            if change["key"] == "file":
                self.held[value["path"]] = base64.b64decode(value["content"])
            elif change["key"] == "lfsFile":
                self.held[value["path"]] = self.server.blobs[value["oid"]]
        made = self.server.commit_id(self.held)
        self.say({"commitUrl": f"{self.server.url}/{self.repo}/commit/{made}", "commitOid": made, "hookOutput": ""})

    def tree(self, folder: str) -> None:
        self.say([self.about(path) for path in sorted(self.held)] if not folder else [])

    def paths(self) -> None:
        given = self.body.decode()
        wanted = json.loads(given)["paths"] if given.startswith("{") else parse_qs(given)["paths"]
        self.say([self.about(path) for path in wanted if path in self.held])

    def about(self, path: str) -> dict[str, Any]:
        content = self.held[path]
        return {"type": "file", "path": path, "size": len(content), "oid": sha1(content).hexdigest()}

    def info(self) -> None:
        told = {"tags": [], "downloads": 0, "likes": 0, "private": self.repo in self.server.private}
        siblings = [{"rfilename": path} for path in self.held]
        self.say({"id": self.repo, "sha": self.server.commit_id(self.held), "siblings": siblings, **told})

    def resolve(self, path: str) -> None:
        if path not in self.held:
            return self.say({"error": f"no {path}"}, 404, {"X-Error-Code": "EntryNotFound"})
        tags = {"ETag": f'"{sha1(self.held[path]).hexdigest()}"', "X-Repo-Commit": self.server.commit_id(self.held)}
        return self.say(self.held[path], headers=tags)

    def log_message(self, *told: Any) -> None:
        pass


ROUTES = [
    ("/api/whoami-v2", Handler.whoami),
    ("/api/repos/create", Handler.create),
    ("/api/validate-yaml", Handler.check_yaml),
    ("/blob/(?P<oid>.+)", Handler.blob),
    (f"/(?:(?P<kind>datasets)/)?{REPO}\\.git/info/lfs/objects/batch", Handler.batch),
    (f"/api/{KIND}/{REPO}/preupload/[^/]+", Handler.preupload),
    (f"/api/{KIND}/{REPO}/commit/[^/]+", Handler.commit),
    (f"/api/{KIND}/{REPO}/tree/[^/]+/?(?P<folder>.*)", Handler.tree),
    (f"/api/{KIND}/{REPO}/paths-info/[^/]+", Handler.paths),
    (f"/api/{KIND}/{REPO}(?:/revision/[^/]+)?", Handler.info),
    (f"/(?:(?P<kind>datasets)/)?{REPO}/resolve/[^/]+/(?P<path>.+)", Handler.resolve),
]
