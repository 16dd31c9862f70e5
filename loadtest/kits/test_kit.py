"""What `loadtest/kits/run` has pytest do: KIT_TESTS tests, each in a run of its own, with devices of the same name."""
import json
import os
import re
import threading
import urllib.error
import urllib.request

import pytest

from rollingroad_pytest import Road, RoadError, start_server

TESTS = int(os.environ.get("KIT_TESTS", "200"))
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def upload(road, number, accuracy=5, **more):
    record = {"uuid": "3f2504e0-4f89-41d3-9a0c-%012d" % number, "timestamp": "2026-07-28T18:34:22.%03dZ" % number,
              "coords": {"latitude": 48.1, "longitude": 11.5, "accuracy": accuracy}, **more}
    body = json.dumps({"location": record, "device_id": "phone-1"}).encode()
    request = urllib.request.Request(road.url + "/locations", body, {"Content-Type": "application/json"})
    try:
        return opener.open(request, timeout=30).status
    except urllib.error.HTTPError as failure:
        return failure.code


class my_app:
    """What the examples of docs/kits.md call, which `run` appends: it uploads until it gets 200."""

    @staticmethod
    def upload_to(url):
        road = Road(url.split("/r/")[0], run=url.split("/")[-2])
        assert 200 in (upload(road, 1) for _ in range(3))


@pytest.mark.parametrize("number", range(TESTS))
def test_a_run_of_its_own(road, number):
    own = number % 5 + 1
    timer = threading.Timer(0.05, lambda: [upload(road, n, accuracy=number) for n in range(own)])
    timer.start()
    assert road.wait(device="phone-1", where=[{"path": "$.coords.accuracy", "equals": number}], atLeast=own)["found"] == own
    timer.join()
    road.never("100ms", where=[{"path": "$.coords.accuracy", "not": number}])
    assert len(road.records("phone-1")) == own
    if number % 2:
        road.faults({"fault": {"kind": "status", "status": 503}, "match": {"count": 1}})
        assert [upload(road, 9), upload(road, 9)] == [503, 200]
        road.in_order({"of": "requests", "status": 503}, {"of": "requests", "status": "2xx"})
    else:
        assert upload(road, 9) == 200
        assert road.verify(of="requests", status=503, exactly=0)["found"] == 0


def test_an_error_has_the_words_of_the_server(road):
    road.faults({"id": "flaky", "fault": {"kind": "status", "status": 503}})
    assert upload(road, 1) == 503
    with pytest.raises(RoadError) as failure:
        road.wait(device="phone-1", timeout="100ms", grace="0s")
    message, *reasons = str(failure.value).split("\n  - ")
    assert re.fullmatch(r"0 records, expected at least 1, after [0-9.]+ s \(408\)", message)
    assert reasons == failure.value.reasons
    assert "1 upload of phone-1 matched the fault rule flaky (status) and got 503" in reasons
    assert failure.value.status == 408
    with pytest.raises(RoadError, match="1 of 1 records are missing") as failure:
        road.verify(device="phone-1", uuids=["4a8a1d3e-0000-4000-8000-000000000000"])
    assert failure.value.status == 409


@pytest.mark.parametrize("duration", ["soon", "10", "1.2.3s", "", None])
def test_a_wrong_duration_is_named(road, duration):
    for wait in (lambda: road.wait(timeout=duration), lambda: road.never(duration)):
        with pytest.raises(ValueError, match="is not a duration; write one such as '10s'"):
            wait()


def test_commands_and_archive(road):
    road.command("phone-1", ["changePace", True])
    assert upload(road, 1) == 200
    road.wait(of="commands", device="phone-1", state="sent")
    assert [entry["_device"] for entry in road.har()["log"]["entries"]] == ["phone-1"]
    assert [request["status"] for request in road.requests(device="phone-1")] == [200]
    assert road.expire_tokens("phone-1")["families"] == 0


def test_of_an_unknown_device_there_is_nothing(road):
    assert road.records("phone-1") == [] and road.requests(device="phone-1") == []
    with pytest.raises(RoadError, match="404"):
        Road(road.server + "/elsewhere").records("phone-1")


def test_a_program_that_is_not_there_is_named(monkeypatch):
    monkeypatch.delenv("ROLLINGROAD_URL", raising=False)
    monkeypatch.setenv("ROLLINGROAD", "/nowhere/rollingroad")
    with pytest.raises(RuntimeError, match="^ROLLINGROAD=/nowhere/rollingroad cannot be started: No such file"):
        start_server().__enter__()
