"""Keeps what a request asks of the server from changing what the others get: the run is about the contract."""
import schemathesis


def _objects(value):
    return value if isinstance(value, list) else []


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    operation = context.operation.definition.raw.get("operationId", "")
    if operation == "putFaults":
        # A rule that is read and meets nobody: a fault may answer with any status.
        for rule in _objects(body.get("faults")):
            if isinstance(rule, dict) and isinstance(rule.setdefault("match", {}), dict):
                rule["match"]["tag"] = "nobody has this tag"
    elif operation == "breakRefresh":
        body["device"] = "nobody"
    elif operation == "awaitRecords" and isinstance(body.get("timeout"), (str, int)):
        # Nobody waits for a day here.
        body["timeout"] = "20ms"
    return body
