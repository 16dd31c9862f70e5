"""Keeps what a request asks of the server from changing what the others get: the run is about the contract."""
import json

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    body = case.body
    if not isinstance(body, dict):
        return
    operation = case.operation.definition.raw.get("operationId", "")
    if operation == "putFaults" and isinstance(body.get("faults"), list):
        # A rule that is read and meets nobody: a fault may answer with any status.
        for rule in body["faults"]:
            if isinstance(rule, dict) and isinstance(rule.setdefault("match", {}), dict):
                rule["match"]["tag"] = "nobody has this tag"
    elif operation == "breakRefresh":
        body["device"] = "nobody"
    elif operation == "awaitRecords" and isinstance(body.get("timeout", ""), (str, int)):
        # Nobody waits for a day here.
        body["timeout"] = "20ms"


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return (value if isinstance(value, str) else json.dumps(value)).encode()
