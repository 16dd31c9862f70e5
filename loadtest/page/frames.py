#!/usr/bin/env python3
"""Frame times of the page: frames.py URL DEVICES SECONDS [FOLDER]. Prints a table and appends to results/page.jsonl; with FOLDER
the page is left there as a picture, to be looked at."""

import datetime, json, os, platform, subprocess, sys, time
from browser import Browser

here = os.path.dirname(os.path.abspath(__file__))

COUNT = """{
  window.gaps = []; window.long = []
  new PerformanceObserver(list => { for (const entry of list.getEntries()) long.push(entry.duration) }).observe({ entryTypes: ['longtask'] })
  let last = performance.now()
  const tick = now => { gaps.push(now - last); last = now; requestAnimationFrame(tick) }
  requestAnimationFrame(tick)
}"""
TELL = """(() => {
  const sorted = gaps.sort((one, other) => one - other)
  const at = share => Math.round(10 * sorted[Math.floor(share * (sorted.length - 1))]) / 10
  const told = { frames: gaps.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), longTasks: long.length }
  gaps = []; long = []
  return told
})()"""


def busy(browser):
    return {entry["name"]: entry["value"] for entry in browser.call("Performance.getMetrics")["metrics"]}["TaskDuration"]


def measure(browser, seconds, act):
    browser.evaluate("gaps = []; long = []")
    begun, work = time.monotonic(), busy(browser)
    while time.monotonic() < begun + seconds:
        act()
    elapsed = time.monotonic() - begun
    return {**browser.evaluate(TELL), "busy": round((busy(browser) - work) / elapsed, 2)}


def main():
    url, devices, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    fleet = subprocess.Popen([sys.executable, f"{here}/fleet.py", url, str(devices), str(30 + 2 * seconds), "8"])
    browser = Browser(1440, 900)
    try:
        browser.call("Page.navigate", url=url)
        browser.evaluate(f"new Promise(r => {{ const look = () => Number((document.getElementById('figure-devices')?.textContent ?? '').replace(/\\D/g, '')) >= {devices * 0.97} ? r() : setTimeout(look, 200); look() }})")
        browser.evaluate(COUNT)
        turn = [0]
        def zoom():
            turn[0] += 1
            browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=700, y=400, deltaX=0, deltaY=-30 if turn[0] // 15 % 2 == 0 else 30)
            time.sleep(0.02)
        rows = {"watching": measure(browser, seconds, lambda: time.sleep(0.2)), "zooming": measure(browser, seconds, zoom)}
        if len(sys.argv) > 4:
            browser.evaluate("document.getElementById('zoom-fit').click()")
            time.sleep(1)
            browser.screenshot(f"{sys.argv[4]}/page-{devices}.png")
        if browser.problems:
            raise SystemExit(f"the page complained: {browser.problems}")
    finally:
        browser.end()
        fleet.kill()
        fleet.wait()
    print(f"{devices} devices")
    print(f"{'':10}{'frames/s':>9}{'p50 ms':>8}{'p95':>7}{'p99':>7}{'max':>7}{'long tasks':>12}{'busy':>7}")
    for name, row in rows.items():
        print(f"{name:10}{row['frames'] / seconds:9.1f}{row['p50']:8.1f}{row['p95']:7.1f}{row['p99']:7.1f}{row['max']:7.1f}{row['longTasks']:12}{row['busy']:7.2f}")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True).stdout.strip()
    at = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    line = {"at": at, "commit": commit, "machine": f"{platform.machine()} {os.cpu_count()} cpus", "devices": devices, **rows}
    with open(f"{here}/../results/page.jsonl", "a") as results:
        results.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
