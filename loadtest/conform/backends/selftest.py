"""Shows with plain HTTP that the right backends are right, and that each planted defect is really there.

python3 selftest.py                    every backend and every defect
python3 selftest.py --defect NAME …    these defects only
python3 selftest.py --whole            also that a defect breaks nothing but what defects.json says
"""

import argparse
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from probes import content, repeating, shapes, storing, talking, wiring  # noqa: F401
from probes.backend import Cluster, Flask, Plain
from probes.client import Cut
from probes.phone import PROBES, Broken, Phone

DEFECTS = json.loads((Path(__file__).parent.parent / "defects.json").read_text())["defects"]
SHORT = ("--tokens", "--token-life", "3")
TOKEN_CLAUSES = [clause for clause in PROBES if PROBES[clause].tokens]
printing = threading.Lock()


def broken_clauses(make, clauses):
    """What is broken of these clauses: clause → what was seen."""
    broken, backend = {}, make()
    try:
        for clause in clauses:
            if PROBES[clause].tokens and not backend.tokens:
                continue
            try:
                PROBES[clause](Phone(backend))
            except (Broken, Cut, OSError, KeyError, ValueError, TypeError, RuntimeError) as error:
                broken[clause] = f"{type(error).__name__}: {error}" if not isinstance(error, Broken) else str(error)
            if not backend.alive():
                backend.start()
    finally:
        backend.remove()
    return broken


def right(name, make, clauses):
    """A backend that has to keep every clause."""
    broken = broken_clauses(make, clauses)
    for clause, seen in broken.items():
        say(f"FAILED {name}: {clause}: {seen}")
    say(f"{'FAILED' if broken else 'passed'} {name}: {len(clauses) - len(broken)} of {len(clauses)} clauses kept")
    return not broken


def rights(name, make):
    """Without tokens; with long tokens; and what concerns tokens with tokens that soon end."""
    untold = [clause for clause in PROBES if not PROBES[clause].tokens]
    return [
        lambda: right(name, make, untold),
        lambda: right(f"{name} with tokens", lambda: make("--tokens"), list(PROBES)),
        lambda: right(f"{name} with tokens of 3 s", lambda: make(*SHORT), TOKEN_CLAUSES),
    ]


def planted(name, whole):
    """A defect that has to be seen by at least one clause that should name it."""
    defect = DEFECTS[name]
    arguments = ["--defect", name, *defect.get("arguments", [])]
    clauses = [clause for clause in defect["breaks"] if clause in PROBES]
    if whole:
        clauses = TOKEN_CLAUSES if "--token-life" in arguments else list(PROBES)
    broken = broken_clauses(lambda: Plain(*arguments), clauses)
    seen = [clause for clause in defect["breaks"] if clause in broken]
    others = [clause for clause in broken if clause not in defect["breaks"] + defect["mayAlsoBreak"]]
    for clause in others:
        say(f"FAILED {name}: also breaks {clause}: {broken[clause]}")
    if not seen:
        say(f"FAILED {name}: not seen by {', '.join(defect['breaks'])}")
    elif not others:
        say(
            f"passed {name}: {seen[0]}: {broken[seen[0]]}" + (f" (and {len(broken) - len(seen)} more)" if whole else "")
        )
    return bool(seen) and not others


def attempt(job):
    try:
        return job()
    except Exception as error:
        say(f"FAILED {error!r}")
        return False


def say(line):
    with printing:
        print(line, flush=True)


def jobs(asked):
    if asked.defect:
        return [lambda name=name: planted(name, asked.whole) for name in asked.defect], None
    work, cluster = rights("plain", Plain), None
    try:
        import flask, psycopg2, waitress  # noqa: E401, F401

        cluster = Cluster()
        work += rights("flask and postgres", lambda *arguments: Flask(cluster, *arguments))
    except ImportError as missing:
        say(f"skipped flask and postgres: {missing}; pip install -r requirements.txt")
    return work + [lambda name=name: planted(name, asked.whole) for name in DEFECTS], cluster


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--defect", nargs="+", choices=DEFECTS, metavar="NAME")
    parser.add_argument("--whole", action="store_true", help="run every probe on every defect")
    parser.add_argument("--jobs", type=int, default=4, help="backends under test at a time")
    asked = parser.parse_args()
    work, cluster = jobs(asked)
    try:
        with ThreadPoolExecutor(asked.jobs) as pool:
            results = list(pool.map(attempt, work))
    finally:
        if cluster:
            cluster.remove()
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
