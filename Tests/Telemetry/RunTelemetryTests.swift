import Base
import Contract
import FleetSimulator
import JSON
import Oracle
import Queue
import Scenario
import Store
import Support
import Testing
import Upload
import Vocabulary

@testable import Telemetry

/// What receivers hear of whole runs, held against what watchers of the same runs see and what their summaries say.
@Suite(.timeLimit(.minutes(5))) struct RunTelemetryTests {
  /// Twelve minutes of two fleets, with a server that fails for a while, networks that break off, and an app that ends.
  static func text(_ outputs: String, faults: Bool = true) -> String {
    """
    { version: 1, name: "told", seed: 9,
      clock: { mode: "virtual", start: "2026-03-02T10:00:00Z", duration: "12m", settle: "5m" },
      sdk: { config: { http: { batchSync: true, maxBatchSize: 5 } } },
      fleets: { cars: { devices: 3, motion: "driving", network: "edge" },
                walkers: { devices: 2, motion: "walking", network: "lte", lifecycle: { terminate: { perHour: 8 } } } },
      \(faults ? "faults: [{ name: 'down', at: '3m', for: '2m', http: { abort: { status: 503, percentage: 60 } } }]," : "")
      outputs: [\(outputs)] }
    """
  }

  struct Outcome {
    let summary: RunSummary
    let report: RunReport
    let sent: [String]
    let notes: [String]
    let seen: Account
    let log: [UInt8]
  }

  /// What happened, in a book of its own.
  final class Account: Watcher {
    var made: [UUID128: MonotonicInstant] = [:]
    var rows: [String: UUID128] = [:]
    var gone: [UUID128: QueueNote.Cause] = [:]
    /// The records of each request, and the header.
    var requests: [(device: Int, request: OutgoingRequest)] = []
    var statuses: [String: Int] = [:]
    var committed: Set<String> = []

    func see(_ event: SimulationEvent, _ context: EventContext) {
      let device = context.device
      switch event {
      case .queue(.inserted(_, let row, let uuid, _, _)):
        made[uuid] = context.now.monotonic
        rows["\(device) \(row)"] = uuid
      case .queue(.deleted(_, let row, let cause)): if let uuid = rows["\(device) \(row)"] { gone[uuid] = cause }
      case .sent(let request): if request.purpose == .records { requests.append((device, request)) }
      case .served(let request, isCommitted: true, _): committed.insert("\(device) \(request)")
      case .ended(let request, let outcome): statuses["\(device) \(request)"] = outcome.status
      default: break
      }
    }
  }

  static func run(_ text: String) throws -> Outcome {
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(text).scenario
    var setup = try RunSetup(scenario)
    setup.tracedShare = RunTelemetry.tracedShare(scenario, devices: setup.deviceNames.count)
    let measures = try Measures(scenario, setup)
    var log: [UInt8] = []
    let telemetry = try RunTelemetry(
      scenario, setup, measures, version: "1.2.3", wallNow: { WallInstant(millisecondsSince1970: 1_800_000_000_000) }
    ) { log += $0 }
    let seen = Account()
    let first: [any Watcher] = telemetry.map { [$0] } ?? []
    let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    let report = try FleetRun(setup, store: store, watchers: first + [measures, seen]).run()
    let (sent, notes) = telemetry?.finish(report) ?? ([], [])
    let summary = measures.summary(of: report, hash: "", product: "test")
    return Outcome(summary: summary, report: report, sent: sent, notes: notes, seen: seen, log: log)
  }

  private static func words(_ bytes: [UInt8]?) -> [UInt64] {
    guard let bytes else { return [] }
    return stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
  }

  private static func spans(_ receiver: Receiver) throws -> [AnyMessage] {
    try receiver.bodies(at: "/v1/traces").flatMap { try AnyMessage($0).messages(1, 2, 2) }
  }

  @Test func everyRecordHasOneTraceAndItsAttemptsAreItsRequests() throws {
    let receiver = try Receiver()
    let outcome = try Self.run(Self.text("{ type: 'otlp-http', url: '\(receiver.url)', sample: 1 }"))
    let seen = outcome.seen
    #expect(outcome.report.isRight && outcome.notes.isEmpty && outcome.summary.ledger.stored > 100)
    let byTrace = Dictionary(grouping: try Self.spans(receiver)) { Self.words($0.bytes(1)) }
    #expect(byTrace.count == seen.made.count)
    var links = 0
    for (uuid, insertedAt) in seen.made {
      let spans = byTrace[[uuid.high, uuid.low]] ?? []
      let roots = spans.filter { $0.bytes(4) == nil }
      guard roots.count == 1, let root = roots.first else { return #expect(Bool(false), "\(uuid.text)") }
      let attributes = try root.attributes(9)
      #expect(root.text(5) == "record" && attributes["rollingroad.record"] == uuid.text)
      let cause = seen.gone[uuid]
      #expect(attributes["rollingroad.outcome"] == (cause == .upload ? "delivered" : cause == nil ? "pending" : "?"))
      #expect(Set(spans.map { $0.bytes(2) ?? [] }).count == spans.count)
      let queued = spans.filter { $0.text(5) == "queued" }
      #expect(queued.count == 1 && queued.allSatisfy { $0.bytes(4) == root.bytes(2) })
      let start = UInt64(1_772_445_600_000_000_000)
      #expect((root.number(7) ?? 0) <= start + UInt64(insertedAt.nanoseconds) && root.number(7) == queued[0].number(7))
      // Attempts: one for each request with the record in it, with the status that the app has seen.
      let requests = seen.requests.filter { $0.request.payload?.uuids.contains(uuid) ?? false }
      let attempts = spans.filter { $0.text(5) == "POST" }
      #expect(attempts.count == requests.count && attributes["rollingroad.attempts"] == "\(requests.count)")
      for (number, (device, request)) in requests.enumerated() {
        let told = try attempts.filter { try $0.attributes(9)["rollingroad.request"] == "\(request.id)" }
        guard told.count == 1, let attempt = told.first else { return #expect(Bool(false), "\(uuid.text)") }
        let facts = try attempt.attributes(9)
        let status = seen.statuses["\(device) \(request.id)"] ?? 0
        #expect(attempt.bytes(4) == root.bytes(2) && attempt.number(6) == 3)
        #expect(facts["http.response.status_code"] == (status == 0 ? nil : "\(status)"))
        #expect(facts["http.request.resend_count"] == (number == 0 ? nil : "\(number)"))
        let isFine = (200..<300).contains(status)
        #expect(try attempt.messages(15).first?.number(3) == (isFine ? nil : 2))
        #expect((attempt.number(7) ?? 0) <= attempt.number(8) ?? 0)
        #expect(
          (attempt.number(8) ?? 0) <= (root.number(8) ?? 0) && (queued[0].number(8) ?? 0) <= attempt.number(7) ?? 0)
        let commits = spans.filter { $0.text(5) == "commit" && $0.bytes(4) == attempt.bytes(2) }
        #expect(commits.count == (seen.committed.contains("\(device) \(request.id)") ? 1 : 0))
        // The header names the attempt of the first record; the others link to it.
        let header = request.headers.filter { $0.name == "traceparent" }.map(\.value)
        let parent = TraceParent(of: request, isSampled: true)
        #expect(header == parent.map { [$0.value] })
        if request.payload?.uuids.first == uuid {
          #expect(Self.words(attempt.bytes(2)) == parent.map { [$0.span] } && attempt.all(13).isEmpty)
        } else {
          let link = try attempt.messages(13).first
          #expect(Self.words(link?.bytes(1)) == parent.map { [$0.trace.high, $0.trace.low] })
          #expect(Self.words(link?.bytes(2)) == parent.map { [$0.span] })
          links += 1
        }
      }
    }
    #expect(links > 50 && seen.statuses.values.contains(503))
  }

  /// What a traced run does is what it does untraced, to the byte of what is measured.
  @Test func aRunGoesTheSameWayWithAndWithoutTelemetry() throws {
    let receiver = try Receiver()
    let plain = try Self.run(Self.text(""))
    let told = try Self.run(
      Self.text(
        """
        { type: 'otlp-http', url: '\(receiver.url)', sample: 0.5, interval: '7s' }, { type: 'hdr-log', file: 'x' },
        { type: 'prometheus-remote-write', url: '\(receiver.url)/write' }
        """))
    #expect(plain.report.hash == told.report.hash && plain.report.events == told.report.events)
    #expect(plain.summary.metrics == told.summary.metrics)
    #expect(plain.seen.requests.allSatisfy { !$0.request.headers.contains { $0.name == "traceparent" } })
    // Parent-based: every upload says whether it is sampled.
    let flags = told.seen.requests.map { $0.request.headers.first { $0.name == "traceparent" }?.value.suffix(3) ?? "" }
    #expect(Set(flags) == ["-00", "-01"])
  }

  @Test func withoutASampleUploadsSayNothingOfTraces() throws {
    let receiver = try Receiver()
    let outcome = try Self.run(Self.text("{ type: 'otlp-http', url: '\(receiver.url)', sample: 0 }"))
    #expect(outcome.seen.requests.allSatisfy { !$0.request.headers.contains { $0.name == "traceparent" } })
    #expect(receiver.bodies(at: "/v1/traces").isEmpty && !receiver.bodies(at: "/v1/metrics").isEmpty)
  }

  @Test func theLastPointsAreTheFiguresOfTheSummary() throws {
    let receiver = try Receiver()
    let outcome = try Self.run(
      Self.text(
        "{ type: 'otlp-http', url: '\(receiver.url)/v1/metrics', headers: { 'X-Key': 'k' }, attributes: { env: 'e' } }")
    )
    #expect(receiver.headers("x-key") == ["k"] && receiver.headers("content-type") == ["application/x-protobuf"])
    let requests = try receiver.bodies(at: "/v1/metrics").map { try AnyMessage($0) }
    #expect(requests.count > 60)
    guard let last = requests.last else { return }
    let resource = try last.messages(1, 1).first?.attributes(1)
    #expect(
      resource?["service.name"] == "rollingroad" && resource?["env"] == "e" && resource?["rollingroad.seed"] == "0x9")
    var looked = 0
    for metric in try last.messages(1, 2, 2) {
      let name = metric.text(1).dropFirst("rollingroad.fleet.".count)
      for point in try metric.messages(7, 1) + metric.messages(5, 1) + metric.messages(10, 1) {
        let isTrend = !metric.all(10).isEmpty
        let attributes = try point.attributes(isTrend ? 1 : 7)
        let series = attributes["fleet"].map { "\(name){fleet:\($0)}" } ?? String(name)
        guard let figure = outcome.summary.figure(series) else { return #expect(Bool(false), "\(series)") }
        looked += 1
        switch figure {
        case .counter(let count): #expect(point.number(6) == UInt64(count), "\(series)")
        case .rate(let hits, let total):
          #expect(point.number(6) == UInt64(attributes["is"] == "true" ? hits : total - hits), "\(series)")
        case .gauge(let levels): #expect(point.number(4) == levels.last?.bitPattern, "\(series)")
        case .trend(let spread):
          #expect(point.number(4) == spread.histogram.count, "\(series)")
          let buckets = try point.messages(8).first.map(Self.counts) ?? []
          #expect(buckets.reduce(0, +) + (point.number(7) ?? 0) == spread.histogram.count, "\(series)")
        }
      }
      if let sum = try metric.messages(7).first { #expect(sum.number(2) == 2 && sum.number(3) == 1) }
    }
    #expect(looked >= outcome.summary.metrics.count { $0.name.contains("{") })
    // Cumulative: nothing ever goes down, and all have one beginning.
    let created = try requests.map { request in
      try request.messages(1, 2, 2).filter { $0.text(1) == "rollingroad.fleet.records_created" }
        .flatMap { try $0.messages(7, 1) }.reduce(0) { $0 + ($1.number(6) ?? 0) }
    }
    #expect(created == created.sorted() && created.last == UInt64(outcome.summary.ledger.created))
  }

  /// The packed varints of bucket counts.
  private static func counts(_ buckets: AnyMessage) -> [UInt64] {
    var counts: [UInt64] = []
    var (value, shift): (UInt64, UInt64) = (0, 0)
    for byte in buckets.bytes(2) ?? [] {
      value |= UInt64(byte & 127) << shift
      shift += 7
      if byte < 128 {
        counts.append(value)
        (value, shift) = (0, 0)
      }
    }
    return counts
  }

  /// Both encodings say the same.
  @Test func inJSONThereIsTheSame() throws {
    let (binary, text) = (try Receiver(), try Receiver())
    let outcome = try Self.run(
      Self.text("{ type: 'otlp-http', url: '\(binary.url)' }, { type: 'otlp-http-json', url: '\(text.url)' }"))
    #expect(outcome.sent.count == 2 && text.headers("content-type") == ["application/json"])
    let bodies = text.bodies(at: "/v1/traces")
    let spans = try bodies.flatMap { body in
      let scope = Self.list(Self.list(try JSONValue(parsing: body.span), "resourceSpans").first, "scopeSpans").first
      return Self.list(scope, "spans")
    }
    let others = try Self.spans(binary)
    #expect(spans.count == others.count && spans.count > 300)
    for (span, other) in zip(spans, others) {
      #expect(span["name"] == .string(other.text(5)))
      #expect(span["startTimeUnixNano"] == .string("\(other.number(7) ?? 0)"))
      let id = (other.bytes(2) ?? []).map { $0.zeroPadded(to: 2, radix: 16) }.joined()
      #expect(span["spanId"] == .string(id))
    }
  }

  private static func list(_ value: JSONValue?, _ key: String) -> [JSONValue] {
    if case .array(let elements)? = value?[key] { elements } else { [] }
  }

  @Test func timeIsThatOfTheScenarioOrEndsNow() throws {
    for (word, end) in [("simulated", UInt64(1_772_445_600_000 + 17 * 60_000)), ("now", 1_800_000_000_000)] {
      let receiver = try Receiver()
      _ = try Self.run(
        Self.text("{ type: 'otlp-http', url: '\(receiver.url)', sample: 0, time: '\(word)' }", faults: false))
      let times = try receiver.bodies(at: "/v1/metrics").flatMap { body in
        try AnyMessage(body).messages(1, 2, 2, 5, 1).compactMap { $0.number(3) }
      }
      #expect(times == times.sorted() && (times.last ?? 0) <= (end + 1) * 1_000_000)
      #expect((times.first ?? 0) > (end - 17 * 60_000) * 1_000_000)
    }
  }

  /// Nanoseconds since 1970 end in 2262 with 64 bits, in 2554 without a sign; milliseconds do not.
  @Test(arguments: [("2300-01-01", 10_413_792_000_000), ("9000-01-01", 221_845_392_000_000)] as [(String, Int64)])
  func aRunMayHaveAnyDate(date: String, start: Int64) throws {
    let receiver = try Receiver()
    let text = Self.text(
      "{ type: 'otlp-http', url: '\(receiver.url)', sample: 0 }, { type: 'prometheus-remote-write', url: '\(receiver.url)/write' }",
      faults: false)
    let outcome = try Self.run(text.replacing("2026-03-02T10:00:00", with: "\(date)T00:00:00"))
    #expect(outcome.notes == [])
    let times = try receiver.bodies(at: "/v1/metrics").flatMap { body in
      try AnyMessage(body).messages(1, 2, 2, 5, 1).compactMap { $0.number(3) }
    }
    let span = UInt64(clamping: Int128(start) * 1_000_000)...UInt64(clamping: Int128(start + 17 * 60_000) * 1_000_000)
    #expect(!times.isEmpty && times == times.sorted() && times.allSatisfy(span.contains))
  }

  @Test func aLogOfHistogramsHasALineForEachTrendAndInterval() throws {
    let outcome = try Self.run(Self.text("{ type: 'hdr-log', file: 'x' }"))
    let lines = String(decoding: outcome.log, as: UTF8.self).split(separator: "\n")
    #expect(lines[1] == "#[Histogram log format version 1.3]")
    #expect(lines[2] == "#[StartTime: 1772445600.000 (seconds since epoch), 2026-03-02T10:00:00.000Z]")
    let tags = Set(lines.dropFirst(4).compactMap { $0.split(separator: ",").first })
    #expect(tags.contains("Tag=upload_duration{fleet:cars}") && tags.contains("Tag=batch_size{fleet:walkers}"))
    #expect(lines.dropFirst(4).allSatisfy { $0.split(separator: ",").count == 5 && $0.contains(",HISTFAAA") })
  }

  @Test func aReceiverThatIsGoneIsToldAndFailsNothing() throws {
    let url = try { try Receiver().url }()
    let outcome = try Self.run(Self.text("{ type: 'otlp-http', url: '\(url)' }"))
    #expect(outcome.report.isRight && outcome.notes.count == 1)
    #expect(
      outcome.notes.first?.hasPrefix("\(url): ") == true && outcome.notes.first?.contains("not delivered") == true)
  }
}
