import Base
import FleetSimulator
import Oracle
import Queue
import Upload
import Vocabulary
import World

/// Makes a trace of each record of some devices: a span from the fix until the record has left the device, with child spans
/// for the wait before the first attempt, for each attempt and, with the in-process server, for the commit.
///
/// A request can name one trace to its server, that of its first record; the attempts of the others link to that one.
final class RecordTracer {
  /// A record that waits on its device.
  private struct Waiting {
    let uuid: UUID128
    let fixed: MonotonicInstant
    var firstSent: MonotonicInstant?
    var attempts: Int64 = 0
  }

  private struct Flight {
    let request: OutgoingRequest
    let sent: MonotonicInstant
    let network: RadioNetwork
    /// The number of earlier attempts of each record.
    let earlier: [Int64]
    var committed: MonotonicInstant?
  }

  private struct Device {
    var rows: [Int64: Waiting] = [:]
    var places: [UUID128: Int64] = [:]
    var flights: [UInt64: Flight] = [:]
  }

  private let setup: RunSetup
  private let names: [String]
  private let fleets: [String]
  private let isTraced: [Bool]
  private var devices: [Int: Device] = [:]
  private let emit: ([TraceSpan]) -> Void
  private var spans: [TraceSpan] = []
  private var open = 0
  /// The number of records that were not traced, because too many waited.
  private(set) var untraced = 0

  private static let spansAtOnce = 512
  /// A waiting record takes about 200 bytes.
  private static let openMax = 250_000

  /// `emit` receives completed spans, some hundred at once.
  init(_ setup: RunSetup, share: Double, emit: @escaping ([TraceSpan]) -> Void) {
    self.setup = setup
    self.emit = emit
    names = setup.deviceNames
    fleets = setup.fleets.flatMap { fleet in Array(repeating: fleet.name, count: fleet.simulated.count) }
    isTraced = setup.devicesDrawn(share: share)
  }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    guard isTraced[context.device] else { return }
    let now = context.now.monotonic
    switch event {
    case .queue(.inserted(_, let row, let uuid, let timestamp, _)):
      let age = context.now.wall.milliseconds(since: timestamp)
      // No fix is older when it becomes a record; the age is meaningless if the clock was set meanwhile.
      let fixed = now - .milliseconds(min(max(age, 0), 600_000))
      begin(Waiting(uuid: uuid, fixed: max(fixed, MonotonicInstant(nanoseconds: 0))), in: row, of: context.device)
    case .queue(.deleted(_, let row, let cause)): end(row, of: context.device, at: now, cause)
    case .sent(let request): depart(request, context)
    case .served(let request, isCommitted: true, _):
      devices[context.device]?.flights[request]?.committed = now
    case .ended(let request, let outcome):
      guard let flight = devices[context.device]?.flights.removeValue(forKey: request) else { return }
      land(flight, at: now, outcome)
    case .killed:
      for flight in takeFlights(of: context.device) { land(flight, at: now, nil, "the app ended") }
    default: break
    }
  }

  /// Ends all open spans at the end of the run.
  func finish(at instant: MonotonicInstant) {
    for device in devices.keys.sorted() {
      for flight in takeFlights(of: device) { land(flight, at: instant, nil, "no answer by the end of the run") }
      for row in devices[device]?.rows.keys.sorted() ?? [] { end(row, of: device, at: instant, nil) }
    }
    handOver()
  }

  /// Emits the completed spans.
  func handOver() {
    guard !spans.isEmpty else { return }
    emit(spans)
    spans = []
  }

  private func takeFlights(of device: Int) -> [Flight] {
    guard let flights = devices[device]?.flights, !flights.isEmpty else { return [] }
    devices[device]?.flights = [:]
    return flights.values.sorted { $0.request.id < $1.request.id }
  }

  private func begin(_ record: Waiting, in row: Int64, of device: Int) {
    guard open < RecordTracer.openMax else { return untraced += 1 }
    open += 1
    devices[device, default: Device()].rows[row] = record
    devices[device]?.places[record.uuid] = row
  }

  private func depart(_ request: OutgoingRequest, _ context: EventContext) {
    guard let uuids = request.payload?.uuids, !uuids.isEmpty else { return }
    let now = context.now.monotonic
    var earlier: [Int64] = []
    for uuid in uuids {
      guard let row = devices[context.device]?.places[uuid], var record = devices[context.device]?.rows[row] else {
        earlier.append(-1)
        continue
      }
      earlier.append(record.attempts)
      record.attempts += 1
      if record.firstSent == nil { record.firstSent = now }
      devices[context.device]?.rows[row] = record
    }
    devices[context.device, default: Device()].flights[request.id] = Flight(
      request: request, sent: now, network: context.network, earlier: earlier)
  }

  /// Ends an attempt for each of its traced records.
  private func land(_ flight: Flight, at now: MonotonicInstant, _ outcome: RequestOutcome?, _ loss: String = "") {
    guard let uuids = flight.request.payload?.uuids, let first = uuids.first else { return }
    let (span, id) = (RecordSpan.attempt(request: flight.request.id), flight.request.id)
    let attributes = attributes(of: flight, outcome)
    let error = outcome.map(RecordTracer.error) ?? loss
    for (uuid, earlier) in zip(uuids, flight.earlier) where earlier >= 0 {
      var attempt = TraceSpan(
        trace: uuid, id: span.id(in: uuid), parent: RecordSpan.record.id(in: uuid), name: flight.request.method,
        kind: .client, start: flight.sent, end: now, attributes: attributes)
      if earlier > 0 { attempt.attributes.append(("http.request.resend_count", .integer(earlier))) }
      if uuid != first { attempt.link = (first, span.id(in: first)) }
      attempt.error = error
      add(attempt)
      guard let committed = flight.committed else { continue }
      add(
        TraceSpan(
          trace: uuid, id: RecordSpan.commit(request: id).id(in: uuid), parent: attempt.id, name: "commit",
          kind: .server, start: committed, end: committed))
    }
  }

  /// Returns the attributes, named by OpenTelemetry's semantic conventions for HTTP clients.
  private func attributes(
    of flight: Flight, _ outcome: RequestOutcome?
  ) -> [(name: String, value: AttributeValue)] {
    let request = flight.request
    // The query of a URL may contain secrets.
    let url = String(URLParts(request.url).withoutUser.prefix { $0 != "?" })
    var attributes: [(name: String, value: AttributeValue)] = [
      ("http.request.method", .text(request.method)), ("url.full", .text(url)),
      ("rollingroad.request", .integer(Int64(request.id))),
      ("rollingroad.network", .text(setup.radio[flight.network].name)),
    ]
    if let payload = request.payload {
      attributes.append(("rollingroad.records", .integer(Int64(payload.uuids.count))))
      attributes.append(("rollingroad.trigger", .text(payload.trigger.rawValue)))
    }
    switch outcome {
    case .answered(let status, _, _)?:
      attributes.append(("http.response.status_code", .integer(Int64(status))))
      if !(200..<300).contains(status) { attributes.append(("error.type", .text("\(status)"))) }
    case .failed(let failure, _)?: attributes.append(("error.type", .text(failure.rawValue)))
    case nil: attributes.append(("error.type", .text("abandoned")))
    }
    return attributes
  }

  private static func error(of outcome: RequestOutcome) -> String? {
    switch outcome {
    case .answered(let status, _, _): (200..<300).contains(status) ? nil : "status \(status)"
    case .failed(_, let message): message
    }
  }

  /// Ends the trace of a record that has left its device; nil: it has not, and the run is over.
  private func end(_ row: Int64, of device: Int, at now: MonotonicInstant, _ cause: QueueNote.Cause?) {
    guard let record = devices[device]?.rows.removeValue(forKey: row) else { return }
    devices[device]?.places[record.uuid] = nil
    open -= 1
    let fate = RecordTracer.fate(of: cause)
    let whole = RecordSpan.record.id(in: record.uuid)
    var span = TraceSpan(
      trace: record.uuid, id: whole, parent: nil, name: "record", start: record.fixed, end: now,
      attributes: [
        ("rollingroad.record", .text(record.uuid.text)), ("rollingroad.device", .text(names[device])),
        ("rollingroad.fleet", .text(fleets[device])), ("rollingroad.outcome", .text(fate)),
        ("rollingroad.attempts", .integer(record.attempts)),
      ])
    if cause == .age || cause == .room { span.error = fate }
    add(span)
    add(
      TraceSpan(
        trace: record.uuid, id: RecordSpan.queued.id(in: record.uuid), parent: whole, name: "queued",
        start: record.fixed, end: record.firstSent ?? now))
    if spans.count >= RecordTracer.spansAtOnce { handOver() }
  }

  private static func fate(of cause: QueueNote.Cause?) -> String {
    switch cause {
    case .upload: "delivered"
    case .destruction: "destroyed"
    case .age: "expired"
    case .room: "evicted"
    case nil: "pending"
    }
  }

  private func add(_ span: TraceSpan) { spans.append(span) }
}
