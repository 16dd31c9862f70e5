#!/usr/bin/env python3
"""The control room under load: room.py ROOM DEVICES SECONDS [FOLDER]. Frame times of the page at rest and while it is zoomed,
how fast acts take effect over HTTP meanwhile, and the lag of the generator. Prints a table and appends to results/room.jsonl; exits with
1 when an act takes more than 250 ms or the lag is above 50 ms."""

import datetime, json, os, platform, subprocess, sys, time, urllib.error, urllib.request
from browser import Browser
from frames import COUNT, busy, measure

here = os.path.dirname(os.path.abspath(__file__))


def ask(url, act=None):
    body = None if act is None else json.dumps(act).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def begun(room, devices):
    try:
        return ask(f"{room}/run/v1/state")["apps"] >= devices * 0.9
    except urllib.error.HTTPError as error:  # 503 until the run has begun
        if error.code != 503:
            raise
        return False


def main():
    room, devices, seconds = sys.argv[1].rstrip("/"), int(sys.argv[2]), float(sys.argv[3])
    acts = [{"killApps": {"count": 10}}, {"killApps": {"share": 0.001}}, {"dropNetwork": {"for": "5s", "place": [[50, 10], [50, 11], [51, 11]]}}]
    reactions, roundtrips, lags = [], [], []
    while not begun(room, devices):
        time.sleep(0.5)
    browser = Browser(1440, 900)
    try:
        browser.call("Page.navigate", url=room + "/")
        browser.evaluate("new Promise(r => { const look = () => document.getElementById('link')?.dataset.state === 'live' && document.querySelector('.room-legend b')?.textContent ? r() : setTimeout(look, 200); look() })")
        time.sleep(3)
        browser.evaluate(COUNT)
        turn = [0]

        def watch():
            turn[0] += 1
            asked = time.monotonic()
            entry = ask(f"{room}/run/v1/acts", acts[turn[0] % len(acts)])
            roundtrips.append((time.monotonic() - asked) * 1_000)
            reactions.append(entry["reactionMilliseconds"])
            lags.append(ask(f"{room}/run/v1/state")["lagP99Milliseconds"] or 0)
            time.sleep(0.3)

        def zoom():
            turn[0] += 1
            browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=700, y=400, deltaX=0, deltaY=-30 if turn[0] // 15 % 2 == 0 else 30)
            time.sleep(0.02)

        rows = {"watching": measure(browser, seconds, watch), "zooming": measure(browser, seconds, zoom)}
        if len(sys.argv) > 4:
            browser.evaluate("document.getElementById('zoom-fit').click()")
            time.sleep(1.5)
            browser.screenshot(f"{sys.argv[4]}/room-{devices}.png")
        if browser.problems:
            raise SystemExit(f"the page complained: {browser.problems}")
    finally:
        browser.end()
    print(f"{devices} devices, {len(reactions)} acts")
    print(f"{'':10}{'frames/s':>9}{'p50 ms':>8}{'p95':>7}{'p99':>7}{'max':>7}{'long tasks':>12}{'busy':>7}")
    for name, row in rows.items():
        print(f"{name:10}{row['frames'] / seconds:9.1f}{row['p50']:8.1f}{row['p95']:7.1f}{row['p99']:7.1f}{row['max']:7.1f}{row['longTasks']:12}{row['busy']:7.2f}")
    told = {"reactionMax": round(max(reactions), 1), "roundtripMax": round(max(roundtrips), 1), "lagP99Max": round(max(lags), 1)}
    print(f"acts took effect within {told['reactionMax']} ms, answers came within {told['roundtripMax']} ms, lag p99 at most {told['lagP99Max']} ms")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True).stdout.strip()
    at = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    line = {"at": at, "commit": commit, "machine": f"{platform.machine()} {os.cpu_count()} cpus", "devices": devices, **told, **rows}
    with open(f"{here}/../results/room.jsonl", "a") as results:
        results.write(json.dumps(line) + "\n")
    if told["roundtripMax"] > 250 or told["lagP99Max"] > 50:
        raise SystemExit(1)


main()
