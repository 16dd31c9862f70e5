"""What real receivers make of the telemetry of a run, and what it costs. Prints a table; exit code 1 when something differs."""
import importlib.util
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROGRAM, DEVICES, PAIRS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SCENARIO = ["tunnel-exit", "--devices", "40", "--quiet"]
PREFIX = "rollingroad_fleet_"
failures = []
children = []


def line(what, found, is_right=True):
    print(f"{'ok ' if is_right else 'BAD'}  {what:<34} {found}", flush=True)
    if not is_right:
        failures.append(what)


def missing(what, remedy):
    print(f"--   {what:<34} missing here: {remedy}", flush=True)


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(words, url, seconds=30):
    """Starts a receiver and waits until it answers."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children.append(child)
    end = time.monotonic() + seconds
    while time.monotonic() < end and child.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{words[0]} does not answer at {url}")


class Receiver:
    """Takes everything and keeps it, unless it only counts."""

    def __init__(self, keeps=True):
        bodies = self.bodies = defaultdict(list)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                bodies[self.path].append(body if keeps else len(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def simulate(folder, *words):
    done = subprocess.run([PROGRAM, "simulate", *SCENARIO, "--out", folder, *words], capture_output=True, text=True)
    if done.returncode not in (0, 99, 110):
        raise SystemExit(f"simulate ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr}")
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def figure(summary, name, fleet):
    metrics = summary["metrics"]
    return metrics.get(f"{name}{{fleet:{fleet}}}", metrics.get(name))


def query(base, text):
    url = f"{base}/api/v1/query?" + urllib.parse.urlencode({"query": text})
    return json.load(urllib.request.urlopen(url, timeout=30))["data"]["result"]


def compare_samples(summary, result):
    """The series of a Prometheus against the summary: how many there are, and the largest difference relative to what they should be."""
    worst, looked = 0.0, 0
    for series in result:
        labels, value = series["metric"], float(series["value"][1])
        name = labels.get("__name__", "")
        if not name.startswith(PREFIX):
            continue
        name = name[len(PREFIX):]
        bare = name
        for ending in ("_total", "_count", "_sum", "_seconds"):
            bare = bare.removesuffix(ending)
        found = figure(summary, bare, labels.get("fleet")) or figure(summary, name, labels.get("fleet"))
        if found is None:
            continue
        unit = 1000 if "_seconds" in name else 1
        kind = found["kind"]
        if kind == "counter":
            truth = found["count"]
        elif kind == "rate":
            truth = found["hits"] if labels["is"] == "true" else found["of"] - found["hits"]
        elif kind == "gauge":
            truth = found["value"]
        elif name.endswith("_count"):
            truth = found["count"]
        elif name.endswith("_sum"):
            truth = found["avg"] * found["count"] / unit
        else:
            truth = found[f"p{round(float(labels['quantile']) * 100)}"] / unit
        looked += 1
        worst = max(worst, abs(value - truth) / max(abs(truth), 1e-9) if truth else abs(value))
    return looked, worst


def remote_write(folder):
    receivers = []
    if shutil.which("prometheus"):
        port = free_port()
        data = os.path.join(folder, "prometheus")
        os.makedirs(data)
        with open(os.path.join(data, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write("global: {}\n")
        start(
            ["prometheus", f"--config.file={data}/prometheus.yml", f"--storage.tsdb.path={data}/tsdb",
             f"--web.listen-address=127.0.0.1:{port}", "--web.enable-remote-write-receiver"],
            f"http://127.0.0.1:{port}/-/ready")
        receivers.append(("prometheus", f"http://127.0.0.1:{port}"))
    else:
        missing("prometheus", "apt-get install prometheus")
    if shutil.which("victoria-metrics"):
        port = free_port()
        start(
            ["victoria-metrics", f"-storageDataPath={folder}/victoria", f"-httpListenAddr=127.0.0.1:{port}"],
            f"http://127.0.0.1:{port}/health")
        receivers.append(("victoria-metrics", f"http://127.0.0.1:{port}"))
    else:
        missing("victoria-metrics", "apt-get install victoria-metrics")
    if not receivers:
        return
    outputs = []
    for _, base in receivers:
        outputs += ["--output", f"prometheus-remote-write={base}/api/v1/write"]
    summary = simulate(os.path.join(folder, "rw"), *outputs)
    for name, base in receivers:
        if name == "victoria-metrics":
            urllib.request.urlopen(base + "/internal/force_flush", timeout=30).read()
        result = query(base, 'last_over_time({job="rollingroad"}[2d])')
        looked, worst = compare_samples(summary, result)
        line(f"{name}, remote write", f"{looked} series, largest difference {worst:.1e}", looked > 40 and worst < 1e-9)
        created = query(base, f"sum(count_over_time({PREFIX}records_created_total[2d]))")
        points = float(created[0]["value"][1]) if created else 0
        line(f"{name}, points over time", f"{points:.0f} of records_created", points > 60)
        if name == "prometheus":
            now = query(base, f"{PREFIX}records_created_total")
            line("prometheus, stale at the end", f"{len(now)} series left", not now)


def check_attempts(spans, stored):
    """Every delivered record has one trace, complete and in order."""
    traces = defaultdict(list)
    for span in spans:
        traces[span.trace_id].append(span)
    delivered, attempts, commits, bad = 0, 0, 0, 0
    for members in traces.values():
        roots = [span for span in members if not span.parent_span_id]
        facts = {pair.key: pair.value for pair in roots[0].attributes} if roots else {}
        posts = [span for span in members if span.name == "POST"]
        ids = {span.span_id for span in members}
        whole = (
            len(roots) == 1 and facts["rollingroad.attempts"].int_value == len(posts)
            and facts["rollingroad.record"].string_value.replace("-", "").lower() == roots[0].trace_id.hex()
            and len(ids) == len(members) and all(not s.parent_span_id or s.parent_span_id in ids for s in members)
            and all(s.start_time_unix_nano <= s.end_time_unix_nano for s in members)
            and sum(span.name == "queued" for span in members) == 1)
        bad += not whole
        delivered += facts["rollingroad.outcome"].string_value == "delivered" if facts else 0
        attempts += len(posts)
        commits += any(span.name == "commit" for span in members)
    line("traces", f"{len(traces)} traces, {len(spans)} spans, {attempts} attempts, {bad} incomplete", bad == 0)
    line("delivered records with a trace", f"{delivered} of {stored}, {commits} with a commit", delivered == stored)


def points_of(found):
    """Of a metric of a run with one fleet: a rate has one for what it is of and is not of, and what was never measured none."""
    return 2 if found["kind"] == "rate" else 0 if found.get("count") == 0 and found["kind"] == "trend" else 1


def exponential_p95(point):
    rank, passed = max(1, -(-point.count * 95 // 100)), point.zero_count
    for index, count in enumerate(point.positive.bucket_counts):
        passed += count
        if passed >= rank:
            return 2 ** ((point.positive.offset + index + 1) * 2 ** -point.scale)
    return 0


def open_telemetry(folder):
    if not has("opentelemetry.proto"):
        return missing("opentelemetry-proto", "pip install opentelemetry-proto")
    from google.protobuf import json_format
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    receiver, other = Receiver(), Receiver()
    outputs = f"outputs[]={{type: 'otlp-http', url: '{receiver.url}', sample: 1}}"
    summary = simulate(
        os.path.join(folder, "otlp"), "--set", outputs, "--output", f"otlp-http-json={other.url}")
    metrics, spans, canonical = [], [], 0
    bodies = receiver.bodies["/v1/metrics"] + receiver.bodies["/v1/traces"]
    for path, kind in (("/v1/metrics", ExportMetricsServiceRequest), ("/v1/traces", ExportTraceServiceRequest)):
        for body in receiver.bodies[path]:
            message = kind.FromString(body)
            canonical += message.SerializeToString(deterministic=True) == body
            if path == "/v1/metrics":
                metrics.append(message)
            else:
                spans += [s for r in message.resource_spans for c in r.scope_spans for s in c.spans]
    line("opentelemetry-proto, same bytes", f"{canonical} of {len(bodies)} messages", canonical == len(bodies) > 0)
    looked, wrong, widest = 0, [], 0.0
    for metric in metrics[-1].resource_metrics[0].scope_metrics[0].metrics:
        name = metric.name.removeprefix("rollingroad.fleet.")
        points = getattr(metric, metric.WhichOneof("data")).data_points
        for point in points:
            facts = {pair.key: pair.value.string_value for pair in point.attributes}
            found = figure(summary, name, facts.get("fleet"))
            looked += 1
            if found["kind"] == "counter":
                right = point.as_int == found["count"]
            elif found["kind"] == "rate":
                right = point.as_int == (found["hits"] if facts["is"] == "true" else found["of"] - found["hits"])
            elif found["kind"] == "gauge":
                right = point.as_double == found["value"]
            else:
                unit = 1000 if metric.unit == "s" else 1
                base = 2 ** 2 ** -point.scale
                p95, truth = exponential_p95(point), found["p95"] / unit
                widest = max(widest, abs(p95 - truth) / truth if truth else 0)
                right = (
                    point.count == found["count"] == sum(point.positive.bucket_counts) + point.zero_count
                    and abs(point.max - found["max"] / unit) < 1e-9 and abs(point.min - found["min"] / unit) < 1e-9
                    and (truth == 0 or truth * 0.998 <= p95 <= truth * base * 1.002))
            if not right:
                wrong.append(f"{name}{facts}")
    there = sum(points_of(found) for name, found in summary["metrics"].items() if "{" not in name)
    line(
        "opentelemetry-proto, metrics", f"{looked} of {there} points, p95 within {widest:.1%}; wrong: {wrong or 'none'}",
        looked == there and not wrong)
    check_attempts(spans, summary["ledger"]["stored"])
    texts = [json_format.Parse(body, ExportMetricsServiceRequest()) for body in other.bodies["/v1/metrics"]]
    same = sum(text == metric for text, metric in zip(texts, metrics))
    line("the same in JSON", f"{same} of {len(metrics)} messages equal", same == len(metrics) == len(texts))


def at_percentile(histogram, share):
    """The rank is rounded up, as HdrHistogram for Java does; its port to Python takes the nearest one, which may be one too low."""
    rank, passed = max(1, -(-histogram.total_count * share // 100)), 0
    for step in histogram.get_recorded_iterator():
        passed += step.count_added_in_this_iter_step
        if passed >= rank:
            return histogram.get_highest_equivalent_value(step.value_iterated_to)
    return 0


def histogram_log(folder):
    if not has("hdrh"):
        return missing("hdrhistogram", "pip install hdrhistogram")
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    out = os.path.join(folder, "hdr")
    summary = simulate(out, "--output", "hdr-log=trends.hlog")
    sums, intervals = {}, 0
    with open(os.path.join(out, "trends.hlog"), encoding="utf-8") as file:
        tags = [text.split(",")[0][4:] for text in file if text.startswith("Tag=")]
    reader = HistogramLogReader(os.path.join(out, "trends.hlog"), HdrHistogram(1, 3_456_000_000_000, 3))
    for tag in tags:
        histogram = reader.get_next_interval_histogram()
        intervals += 1
        if tag not in sums:
            sums[tag] = HdrHistogram(1, 3_456_000_000_000, 3)
        sums[tag].add(histogram)
    wrong = []
    for tag, histogram in sums.items():
        found = summary["metrics"][tag]
        for share in (50, 90, 95, 99):
            value = min(at_percentile(histogram, share), round(found["max"] * found["resolution"]))
            if value != round(found[f"p{share}"] * found["resolution"]):
                wrong.append(f"{tag} p{share}")
        if histogram.total_count != found["count"]:
            wrong.append(f"{tag} count")
    line("hdrhistogram", f"{intervals} intervals, {len(sums)} trends; wrong: {wrong or 'none'}", bool(sums) and not wrong)


def processor_seconds(words):
    child = subprocess.Popen([PROGRAM, "simulate", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = child.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 97, 99, 110):
        raise SystemExit(f"simulate ended with {child.returncode}: {said[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said


def cost(what, words, outputs):
    """Other programs of the machine only ever add to the time that a run takes: the least of several is nearest to its own."""
    shares, plain, told, memory = [], [], [], []
    said = ""
    for pair in range(PAIRS):
        order = [[], outputs] if pair % 2 == 0 else [outputs, []]
        found = {bool(extra): processor_seconds(words + extra) for extra in order}
        plain.append(found[False][0])
        told.append(found[True][0])
        memory.append(found[True][1] - found[False][1])
        shares.append(found[True][0] / found[False][0] - 1)
        said = found[True][2]
    sent = [text.strip() for text in said.splitlines() if " sent to " in text or "not delivered" in text]
    least = min(told) / min(plain) - 1
    line(
        what,
        f"{min(plain):.2f} s, with telemetry {min(told):.2f} s: {least:+.1%} "
        f"(pairs {min(shares):+.1%} to {max(shares):+.1%}), {statistics.median(memory):+.0f} MiB; {'; '.join(sent)}",
        least <= 0.03 or shutil.which("perf") is not None)


def sampled_share(what, words, outputs, folder):
    """Of a run's samples, those in code of the module Telemetry and what it calls. Unlike times this holds on a busy machine."""
    if shutil.which("perf") is None:
        return missing("perf", "apt-get install linux-perf")
    data = os.path.join(folder, "perf.data")
    run = [PROGRAM, "simulate", *words, *outputs]
    subprocess.run(["perf", "record", "-q", "-o", data, "-g", "-F", "499", "--", *run], capture_output=True, check=False)
    told = subprocess.run(["perf", "script", "-i", data, "-F", "comm,ip,sym"], capture_output=True, text=True, check=True)
    stacks = [stack for stack in told.stdout.split("\n\n") if stack.strip()]
    share = sum("$s9Telemetry" in stack for stack in stacks) / max(1, len(stacks))
    line(what, f"{share:.1%} of {len(stacks)} samples", len(stacks) > 500 and share <= 0.03)


def costs(folder):
    receiver = Receiver(keeps=False)
    outputs = ["--output", f"otlp-http={receiver.url}", "--output", f"prometheus-remote-write={receiver.url}/write"]
    words = ["commuters", "--devices", str(DEVICES), "--quiet"]
    virtual = words + ["--duration", "1h"]
    sampled_share(f"{DEVICES} phones, virtual time", virtual, outputs, folder)
    cost("the same by the clock", virtual, outputs)
    port = free_port()
    start([PROGRAM, "serve", "--listen", f"127.0.0.1:{port}", "--data", ":memory:"], f"http://127.0.0.1:{port}/readyz")
    target = ["--target", f"http://127.0.0.1:{port}", "--preset", "rollingroad", "--mode", "realtime"]
    real = words + ["--duration", "60s", "--set", 'clock.settle="3s"', *target]
    sampled_share(f"{DEVICES} phones, real time", real, outputs, folder)
    cost("the same by the clock", real, outputs)


def main():
    folder = tempfile.mkdtemp(prefix="rollingroad-telemetry-")
    try:
        remote_write(folder)
        open_telemetry(folder)
        histogram_log(folder)
        costs(folder)
    finally:
        for child in children:
            child.terminate()
            child.wait()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failures else 0)


main()
