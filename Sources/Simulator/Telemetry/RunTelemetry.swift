package import Base
import Contract
package import FleetSimulator
package import Oracle
package import Scenario
import Vocabulary

/// Sends the metrics and traces of a run to receivers, and to a histogram log. As a watcher it comes before the measures: at
/// the end of an interval they contain only what came before it.
package final class RunTelemetry: Watcher {
  private let measures: Measures
  private var sinks: [(sink: any MetricsSink, due: MonotonicInstant)] = []
  private var openTelemetry: [OpenTelemetrySink] = []
  private var remoteWrites: [RemoteWriteSink] = []
  private var tracer: RecordTracer?
  private var due = MonotonicInstant.never
  private var now = MonotonicInstant(nanoseconds: 0)
  private var isBegun = false
  private var isOver = false
  private let wallNow: () -> WallInstant
  /// The time of the last figures; receivers use milliseconds, and accept one sample of a series in each.
  private var toldAt = MonotonicInstant(nanoseconds: -1)

  /// By the machine's clock.
  private static let standardInterval = Nanoseconds.seconds(10)
  /// How long the end of a run waits for slow receivers.
  private static let flushTime = Nanoseconds.seconds(5)
  private static let devicesTraced = 50

  /// Nil when the scenario has no outputs of this kind. `histogramLog` writes to the file of that name; `wallNow` is the
  /// machine's date and time.
  package init?(
    _ scenario: Scenario, _ setup: RunSetup, _ measures: Measures, version: String, shard: String? = nil,
    wallNow: @escaping () -> WallInstant, histogramLog: @escaping ([UInt8]) -> Void
  ) throws {
    (self.measures, self.wallNow) = (measures, wallNow)
    let now = wallNow()
    var own: [(name: String, value: AttributeValue)] = [
      ("service.name", .text("rollingroad")), ("service.version", .text(version)),
      ("rollingroad.scenario", .text(scenario.name)), ("rollingroad.seed", .text("0x" + String(setup.seed, radix: 16))),
      ("rollingroad.mode", .text(scenario.clock.mode.rawValue)),
    ]
    if let shard { own.append(("service.instance.id", .text(shard))) }
    for output in scenario.outputs {
      switch output {
      case .openTelemetry(let output) where !output.url.isEmpty:
        let given = output.attributes.map { (name: $0.name, value: AttributeValue.text($0.value)) }
        let resource = TelemetryResource(
          attributes: given + own.filter { attribute in !given.contains { $0.name == attribute.name } },
          version: version)
        let sink = try OpenTelemetrySink(
          output, interval: RunTelemetry.interval(output.interval, setup), resource,
          TelemetryClock(output.time, setup, now: now))
        openTelemetry.append(sink)
        add(sink)
      case .remoteWrite(let output):
        let sink = try RemoteWriteSink(
          output, interval: RunTelemetry.interval(output.interval, setup), scenario.name,
          TelemetryResource(attributes: [], version: version), TelemetryClock(output.time, setup, now: now))
        remoteWrites.append(sink)
        add(sink)
      case .histogramLog:
        let width = Timeline(span: setup.duration + setup.settle).width
        add(HistogramLog(setup, interval: width, version: version, write: histogramLog))
      default: break
      }
    }
    guard !sinks.isEmpty else { return nil }
    if let share = setup.tracedShare, !openTelemetry.isEmpty {
      tracer = RecordTracer(setup, share: share) { [openTelemetry] spans in
        for sink in openTelemetry { sink.take(spans) }
      }
    }
  }

  /// Returns the share of devices whose records are traced; nil: none. The default is as many as a person may want to read about.
  package static func tracedShare(_ scenario: Scenario, devices: Int) -> Double? {
    let shares = scenario.outputs.compactMap { output -> Double? in
      guard case .openTelemetry(let output) = output, !output.url.isEmpty else { return nil }
      return output.sample ?? min(1, Double(devicesTraced) / Double(max(devices, 1)))
    }
    return shares.max().flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns the interval in the time of the run: the requested one, or ten seconds of the machine's clock. In virtual time,
  /// where days pass in seconds, it is at least two intervals of the timeline, because sending all of them would be expensive
  /// compared with the run itself (loadtest/telemetry).
  private static func interval(_ wish: Nanoseconds?, _ setup: RunSetup) -> Nanoseconds {
    let factor = setup.outside?.factor ?? 1
    let interval = Nanoseconds(Int64(Double((wish ?? standardInterval).count) * factor))
    let isMachines = setup.outside.map { $0.lockstep == nil } ?? false
    if isMachines || wish != nil { return interval }
    return max(interval, Timeline(span: setup.duration + setup.settle).width * 2)
  }

  private func add(_ sink: any MetricsSink) {
    sinks.append((sink, MonotonicInstant(nanoseconds: 0) + sink.interval))
    due = min(due, MonotonicInstant(nanoseconds: 0) + sink.interval)
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    if !isBegun {
      isBegun = true
      for entry in sinks { entry.sink.begin(at: wallNow()) }
    }
    now = max(now, context.now.monotonic)
    if now >= due { pass() }
    if case .healed = event { for entry in sinks { entry.sink.settle(at: now) } }
    tracer?.see(event, context)
  }

  /// Sends the figures of completed intervals, once for several without events.
  private func pass() {
    let readings = measures.readings()
    for index in sinks.indices where sinks[index].due <= now {
      let interval = sinks[index].sink.interval.count
      let border = MonotonicInstant(nanoseconds: now.nanoseconds / interval * interval)
      sinks[index].sink.take(readings, at: border, isLast: false)
      sinks[index].due = border + sinks[index].sink.interval
      toldAt = max(toldAt, border)
    }
    due = sinks.map(\.due).min() ?? due
    tracer?.handOver()
  }

  /// Sends the final figures to all receivers within a few seconds. Returns what was sent, and what was not.
  package func finish(_ report: RunReport) -> (sent: [String], notes: [String]) {
    guard !isOver else { return ([], []) }
    tracer?.finish(at: now)
    let readings = measures.readings(concludedBy: report)
    let end = max(now, toldAt + .milliseconds(1))
    for entry in sinks { entry.sink.take(readings, at: end, isLast: true) }
    let accounts = close(within: RunTelemetry.flushTime)
    var notes = accounts.compactMap { $0.account.lossSentence(to: $0.place) }
    if let untraced = tracer?.untraced, untraced > 0 {
      notes.append("\(untraced.of("record")) not traced: too many were queued at once")
    }
    return (accounts.map { $0.account.deliverySentence(to: $0.place) }, notes)
  }

  /// Ends the telemetry of a run without a result; pending data is discarded.
  package func abandon() { _ = close(within: .zero) }

  private func close(within span: Nanoseconds) -> [(place: String, account: SendingAccount)] {
    guard !isOver else { return [] }
    isOver = true
    let senders = openTelemetry.map { ($0.place, $0.sender) } + remoteWrites.map { ($0.place, $0.sender) }
    return senders.map { (place: $0.0, account: $0.1.finish(within: span)) }
  }
}
