"""Rolling Road for pytest: copy this file beside your tests and write in conftest.py: from rollingroad_pytest import *

    def test_an_upload_arrives(road):
        my_app.upload_to(road.url + "/locations")
        road.wait(device="phone-1", atLeast=1)

The server is the one of ROLLINGROAD_URL, or one that is started for the session: the image of ROLLINGROAD_IMAGE, or the
executable of ROLLINGROAD, or `rollingroad` in the PATH. ROLLINGROAD_ADMIN_TOKEN is its token. Each test has a run of its own, so
that tests in parallel see nothing of each other. Python 3.8 or newer; only the standard library and pytest.
"""
import contextlib
import json
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import uuid

import pytest

__all__ = ["rolling_road", "road", "Road", "RoadError", "start_server"]


class RoadError(AssertionError):
    """What the server says of a failed wait or check; `reasons` are its near misses."""

    def __init__(self, status, error):
        self.status, self.code = status, error.get("code", "")
        self.detail = error.get("detail") or {}
        self.reasons = [reason["message"] for reason in self.detail.get("reasons", [])]
        message = error.get("message", "no message")
        if self.reasons:  # The message ends with the first of them.
            message = message.split("; " + self.reasons[0])[0]
        super().__init__("\n  - ".join(["%s (%s)" % (message, status)] + self.reasons))


class Road:
    """One run on a server. Let the app upload to `url` + "/locations"."""

    def __init__(self, server, token=None, run=None):
        self.server, self.token, self.run = server.rstrip("/"), token, run or "test-" + uuid.uuid4().hex[:16]
        self.url = "%s/r/%s" % (self.server, urllib.parse.quote(self.run, safe=""))

    def wait(self, timeout="10s", grace="1s", **expected):
        """Until what is expected is there; the keys are those of POST await: device, atLeast, exactly, of, where, inOrder, …"""
        __tracebackhide__ = True
        body = dict(expected, timeout=timeout)
        if "uuids" not in expected:
            body["grace"] = grace
        return self._send("POST", "await", body, patience=_seconds(timeout) + _seconds(expected.get("holds", 0)) + _seconds(grace))

    def never(self, within="1s", **expected):
        """Nothing of the kind may be there, or come meanwhile."""
        __tracebackhide__ = True
        return self.wait(timeout="%gs" % (_seconds(within) + 10), exactly=0, holds=within, **expected)

    def in_order(self, *steps, **more):
        """One expectation after the other."""
        __tracebackhide__ = True
        return self.wait(inOrder=list(steps), **more)

    def verify(self, **expected):
        """What is there now; records whose uuids are named have to be stored."""
        __tracebackhide__ = True
        answer = self._send("POST", "verify", expected)
        if answer.get("missing"):
            message = "%d of %d records are missing" % (answer["missing"], answer["asked"])
            raise RoadError(409, {"message": message, "detail": answer})
        return answer

    def faults(self, *rules):
        """Rules such as {"fault": {"kind": "status", "status": 503}, "match": {"count": 2}}, for this run."""
        named = [dict({"id": "fault-%d" % number}, **rule) for number, rule in enumerate(rules, 1)]
        return self._send("PUT", "faults", {"faults": named})

    def command(self, device, *commands):
        """Queues commands such as ["changePace", True]; they go out with the next answer to the device."""
        path = "devices/%s/commands" % urllib.parse.quote(device, safe="")
        return self._send("POST", path, {"commands": [list(command) for command in commands]})

    def expire_tokens(self, device=None):
        return self._send("POST", "tokens/expire", {"device": device} if device else {"run": self.run})

    def records(self, device):
        """The records of a device as they were sent; none of a device that has stored nothing."""
        path = "devices/%s/locations?format=ndjson" % urllib.parse.quote(device, safe="")
        try:
            return [json.loads(line)["record"] for line in self._read("GET", path).splitlines()]
        except RoadError as failure:
            if failure.code != "unknown_device":
                raise
            return []

    def requests(self, **filters):
        """What devices sent, from the journal: status="5xx", device="phone-1", …"""
        query = urllib.parse.urlencode(dict(filters, format="ndjson"))
        return [json.loads(line) for line in self._read("GET", "requests?" + query).splitlines()]

    def har(self):
        """The requests of this run as HTTP Archive, for a file beside a failed test."""
        return self._send("GET", "requests?format=har")

    def reset(self):
        """Forgets the run: records, requests, commands and faults."""
        self._send("DELETE", "faults")
        self._send("POST", "reset")

    def _send(self, method, path, body=None, patience=0.0):
        __tracebackhide__ = True
        return json.loads(self._read(method, path, body, patience) or "null")

    def _read(self, method, path, body=None, patience=0.0):
        __tracebackhide__ = True
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request("%s/admin/v1/%s" % (self.url, path), data=data, method=method)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        try:
            with _opener.open(request, timeout=patience + 30) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as failure:
            text = failure.read().decode("utf-8", "replace")
            try:
                error = json.loads(text)["error"]
            except (ValueError, KeyError, TypeError):
                error = {"message": text[:500] or failure.reason}
            raise RoadError(failure.code, error) from None
        except urllib.error.URLError as failure:
            raise RuntimeError("no answer from %s: %s" % (self.server, failure.reason)) from None


# The server is near: a proxy of the environment is for other hosts.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _seconds(duration):
    if isinstance(duration, (int, float)):
        return float(duration)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", duration) if isinstance(duration, str) else None
    if not match:
        raise ValueError("%r is not a duration; write one such as '10s' (ms, s, m, h)" % (duration,))
    number, unit = match.groups()
    return float(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]


@contextlib.contextmanager
def start_server():
    """The address and the token of a server; one that was started here ends with the block."""
    url, token = os.environ.get("ROLLINGROAD_URL"), os.environ.get("ROLLINGROAD_ADMIN_TOKEN")
    if url:
        yield url, token
        return
    image = os.environ.get("ROLLINGROAD_IMAGE")
    if image:
        token = token or uuid.uuid4().hex
        engine = os.environ.get("ROLLINGROAD_ENGINE", "docker")
        name = "rollingroad-" + uuid.uuid4().hex[:12]
        subprocess.run(
            [engine, "run", "--detach", "--rm", "--name", name, "--publish", "127.0.0.1::8080", "--env",
             "ROLLINGROAD_ADMIN_TOKEN=" + token, "--env", "ROLLINGROAD_DATA=:memory:", image],
            check=True, stdout=subprocess.DEVNULL)
        try:
            port = subprocess.run([engine, "port", name, "8080"], check=True, stdout=subprocess.PIPE).stdout.decode()
            url = "http://127.0.0.1:" + port.split()[0].rsplit(":", 1)[1]
            _wait_until_ready(url)
            yield url, token
        finally:
            subprocess.run([engine, "rm", "--force", name], stdout=subprocess.DEVNULL)
        return
    program = os.environ.get("ROLLINGROAD", "rollingroad")
    words = [program, "serve", "--listen", "127.0.0.1:0", "--data", ":memory:"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROLLINGROAD_")}
    log = tempfile.TemporaryFile()
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, env=environment)
    except OSError as failure:
        named = "ROLLINGROAD=" + program if "ROLLINGROAD" in os.environ else program + ", as ROLLINGROAD is not set,"
        raise RuntimeError("%s cannot be started: %s" % (named, failure.strerror)) from None
    try:
        line = process.stdout.readline().decode()
        if not line.startswith("listening "):
            status = process.wait(timeout=30)
            log.seek(0)
            said = line + log.read().decode("utf-8", "replace")
            raise RuntimeError("%s ended with %d: %s" % (" ".join(words), status, said.strip()))
        yield line.split()[1], None
    finally:
        process.terminate()
        process.wait(timeout=30)
        log.close()


def _wait_until_ready(url, tries=300):
    import time

    for _ in range(tries):
        with contextlib.suppress(OSError):
            return _opener.open(url + "/readyz", timeout=5).read()
        time.sleep(0.1)
    raise RuntimeError("no server at " + url)


@pytest.fixture(scope="session")
def rolling_road():
    """The address and the token of the server of this session."""
    with start_server() as server:
        yield server


@pytest.fixture
def road(rolling_road):
    """A run of the test's own, forgotten after it."""
    run = Road(*rolling_road)
    yield run
    run.reset()
