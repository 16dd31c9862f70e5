#!/usr/bin/env python3
"""judge.py PROGRAM [RECORDS]: a fleet uploads to backend.py; then explain has to tell the four planted records, and no other one."""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERDICTS = {
    "dropped": "acknowledged-and-lost",
    "doubled": "stored-twice",
    "changed": "stored-changed",
    "misfiled": "under-another-device",
}


def explain(program, base, log, words):
    words = [program, "explain", *words, "--log", log, "--dialect", HERE / "stored.json5", "--target", base, "--json"]
    call = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300)
    if call.returncode not in (0, 98):
        raise SystemExit(f"explain {words[2]}: exit code {call.returncode}: {call.stderr}{call.stdout[:500]}")
    return call.returncode, json.loads(call.stdout)


def judge(program, records, folder):
    numbers = [str(records * share // 8) for share in (1, 3, 5, 7)]
    backend = subprocess.Popen(
        [sys.executable, "-B", HERE / "backend.py", folder / "records.db", *numbers], stdout=subprocess.PIPE, text=True)
    failures = []
    try:
        base = f"http://127.0.0.1:{int(backend.stdout.readline())}"
        run = subprocess.run(
            [program, "simulate", HERE / "fleet.json5", "--mode", "lockstep", "--target", f"{base}/locations", "--quiet",
             "--out", folder / "out"], capture_output=True, text=True, timeout=1_800)
        if run.returncode not in (0, 99):
            raise SystemExit(f"simulate: exit code {run.returncode}: {run.stdout}{run.stderr}")
        with urllib.request.urlopen(f"{base}/planted", timeout=10) as answer:
            outcome = json.load(answer)
        planted, logs = outcome["planted"], {log.stem: log for log in sorted((folder / "out/sdk").glob("*.log"))}
        print(f"{outcome['records']} records of {len(logs)} phones, planted: {', '.join(planted)}")
        if outcome["records"] < records or set(planted) != set(VERDICTS):
            failures.append(f"not all was planted: {outcome}")
        for act, record in planted.items():
            words = [record["uuid"]] + [word for name in [record["device"], *logs] for word in ("--device", name)]
            code, report = explain(program, base, logs[record["device"]], words)
            story = report["stories"][0]
            print(f"{act:9} {report['verdict']}")
            evidence = [line for line in story["evidence"] if "line" in line]
            if code != 98 or story["fate"] != VERDICTS[act] or len(evidence) < 2:
                failures.append(f"{act}: exit code {code}, {story}")
        began = time.monotonic()
        for name, log in logs.items():
            others = [word for other in logs if other != name for word in ("--device", other)]
            code, report = explain(program, base, log, [name, *others])
            wanted = {record["uuid"]: VERDICTS[act] for act, record in planted.items() if record["device"] == name}
            told = {story["uuid"]: story["fate"] for story in report["stories"]}
            if told != wanted or code != (98 if wanted else 0):
                failures.append(f"{name}: exit code {code}, told {told}, planted {wanted}")
        print(f"{len(logs)} phones explained in {time.monotonic() - began:.1f} s, {len(failures)} wrong")
    finally:
        backend.terminate()
        backend.wait(10)
    for failure in failures:
        print("WRONG", failure)
    return 1 if failures else 0


with tempfile.TemporaryDirectory() as path:
    sys.exit(judge(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000, Path(path)))
