"""judge.py BIN SECONDS RESULTS COMMIT MACHINE: drives phones at the server and judges what became of their records."""
import json, os, random, signal, subprocess, sys, tempfile, threading, time

from server import WAYS, Server

TROUBLE_SECONDS = 10
DEVICES = 5
# A simulator takes 21 seconds; one that has not ended by then is stopped, and its exit code tells.
LONGEST_SECONDS = 180
COLUMNS = ("way", "requests", "busiest second", "records", "stored", "misled", "lost", "changed", "waiting", "cpu s", "")


def row(*values):
    print("{:<20} {:>8} {:>14} {:>8} {:>7} {:>7} {:>5} {:>8} {:>8} {:>6}  {}".format(*values), flush=True)


def simulate(program, server, way, folder):
    environment = {**os.environ, "WAY": way, "PORT": str(server.port)}
    scenario = os.path.join(os.path.dirname(os.path.abspath(__file__)), "misbehave.json5")
    output = open(f"{folder}/{way}.txt", "w")
    return subprocess.Popen(
        [program, "simulate", scenario, "--quiet", "--out", f"{folder}/{way}"],
        env=environment, stdout=output, stderr=subprocess.STDOUT)


def lost_records(folder):
    """The uuids of the records that were deleted after a page of HTML."""
    try:
        with open(f"{folder}/lost.ndjson") as file:
            records = [json.loads(line) for line in file]
    except FileNotFoundError:
        return set()
    return {record["uuid"] for record in records if record["cause"] == "page"}


def judge_way(server, way, process, folder):
    guard = threading.Timer(LONGEST_SECONDS, os.kill, (process.pid, signal.SIGKILL))
    guard.start()
    _, status, usage = os.wait4(process.pid, 0)
    guard.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    course = server.courses[way]
    with open(f"{folder}/{way}.txt") as file:
        told = file.read()
    try:
        with open(f"{folder}/{way}/summary.json") as file:
            ledger = json.load(file)["ledger"]
    except FileNotFoundError:
        problems = [f"no summary, exit code {process.returncode}: {' '.join(told.split())[-200:]}"]
        row(way, course.requests, course.busiest_second(), *["-"] * 7, *problems)
        return {"way": way, "requests": course.requests, "problems": problems}
    created = ledger["created"]
    problems = []
    # What only the portal has seen, and nobody stored: the simulator must tell of exactly these, and fail the run.
    misled = course.misled - set(course.stored)
    if process.returncode != (98 if misled else 0):
        problems.append(f"exit code {process.returncode}")
    if ledger["lost"] or ledger["pending"] or ledger["unverified"]:
        problems.append("not everything arrived")
    named = lost_records(f"{folder}/{way}")
    if ledger["misled"] != len(misled) or named != misled:
        problems.append(f"{len(misled)} were misled, {len(named)} are named")
    if (way == "portal") != bool(misled):
        problems.append("a portal misleads, and nothing else")
    if ledger["stored"] + ledger["misled"] != created or len(course.stored) != ledger["stored"]:
        problems.append("the books differ")
    if course.changed:
        problems.append("bytes changed")
    if course.unreadable:
        problems.append(f"{course.unreadable} bodies unreadable")
    # Behaviour: a flush for each record at most, and one for each wish to sync; a page of a flush is a request.
    if course.requests > 2 * created + 20 * DEVICES:
        problems.append("a storm")
    seconds = usage.ru_utime + usage.ru_stime
    if seconds > 10:
        problems.append("a hot loop")
    row(way, course.requests, course.busiest_second(), created, ledger["stored"], ledger["misled"], ledger["lost"],
        len(course.changed), ledger["pending"], f"{seconds:.1f}", ", ".join(problems) or "ok")
    return {"way": way, "requests": course.requests, "records": created, "stored": ledger["stored"],
            "misled": ledger["misled"], "lost": ledger["lost"], "changed": len(course.changed), "problems": problems}


def phone(program, server, folder, records):
    return subprocess.Popen(
        [program, folder, f"http://127.0.0.1:{server.port}/any", str(records)], stdout=subprocess.PIPE, text=True)


def judge_killed_phone(server, program, seconds, folder, chance):
    """Each way for a while, a kill -9 every second or two; then a sound server, and a phone that only delivers."""
    recorded, kills, ways, course = set(), 0, list(WAYS), server.courses["any"]
    end = time.monotonic() + seconds
    start = time.monotonic()
    while time.monotonic() < end:
        process = phone(program, server, folder, 1_000_000)
        death = time.monotonic() + chance.uniform(0.5, 2.0)
        while time.monotonic() < min(death, end):
            place = (time.monotonic() - start) / seconds
            server.now_serving = ways[min(int(place * len(ways)), len(ways) - 1)]
            time.sleep(0.02)
        process.kill()
        kills += 1
        # A line that was cut off names no record.
        recorded |= {line.strip() for line in process.stdout if line.endswith("\n")}
        process.wait()
    server.now_serving = None
    process = phone(program, server, folder, 0)
    try:
        output, _ = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    waiting = int(output) if output.strip().isdecimal() else "unknown"
    lost = recorded - set(course.stored) - course.misled
    problems = [text for text, is_so in [
        (f"exit code {process.returncode}", process.returncode), ("records lost", lost), ("records wait", waiting),
        ("bytes changed", course.changed), ("bodies unreadable", course.unreadable), ("too few kills", kills < 5),
        ("a storm", course.requests > 3 * len(course.sent) + 50 * kills)] if is_so]
    misled = len(course.misled - set(course.stored))
    row(f"killed {kills} times", course.requests, course.busiest_second(), len(recorded), len(course.stored), misled,
        len(lost), len(course.changed), waiting, "-", ", ".join(problems) or "ok")
    return {"way": "killed phone", "kills": kills, "requests": course.requests, "records": len(recorded),
            "stored": len(course.stored), "misled": misled, "lost": len(lost), "changed": len(course.changed),
            "problems": problems}


def main():
    folder, seconds, results, commit, machine = sys.argv[1], float(sys.argv[2]), *sys.argv[3:6]
    seed = random.getrandbits(32)
    print(f"seed {seed}")
    server = Server(TROUBLE_SECONDS)
    row(*COLUMNS)
    with tempfile.TemporaryDirectory() as work:
        processes = {way: simulate(f"{folder}/rollingroad", server, way, work) for way in WAYS}
        try:
            lines = [judge_way(server, way, process, work) for way, process in processes.items()]
        finally:
            for process in processes.values():
                if process.returncode is None:
                    process.kill()
        lines.append(judge_killed_phone(
            server, f"{folder}/misbehave-phone", seconds, f"{work}/phone", random.Random(seed)))
    with open(results, "a") as file:
        for line in lines:
            file.write(json.dumps({"commit": commit, "machine": machine, "seed": seed, **line}) + "\n")
    bad = [line["way"] for line in lines if line["problems"]]
    print("verdict:", "BAD: " + ", ".join(bad) if bad else "nothing lost, nothing changed, no storm")
    sys.exit(1 if bad else 0)


main()
