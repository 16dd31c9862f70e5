package import Base
import Contract
import Engine
import Host
package import Oracle
import Queue
package import Scenario
import Upload
import Vocabulary
import World

/// Measures a run in progress: figures by fleet and by the selections of thresholds, the timeline, the checks. Its memory
/// grows with the waiting records only, not with the length of the run.
package final class Measures: Watcher {
  /// A request that has not ended.
  struct Flight {
    let sentAt: MonotonicInstant
    let bytes: Int
    let payload: OutgoingRequest.Payload
    /// The duration on the network, where that is not device time.
    var serviceTime: Nanoseconds?
    /// One bit for each fault that was active when the request was sent, or when a record in it was made.
    var faults: UInt64 = 0
    /// The network that it was sent over.
    var network = RadioNetwork.none
    var isSettling = false
  }

  /// An upload that was answered with 401.
  struct Unauthorized {
    let answer: Answer
    let tags: SampleTags
    /// Whether the device has received a new token since.
    var isRefreshed = false
  }

  /// The state of one device.
  struct DeviceState {
    let fleet: Int
    var backlog = Backlog()
    var network = RadioNetwork.none
    var faults: UInt64 = 0
    var isActive = false
    /// Whether the drives are over.
    var isSettling = false
    var isMoving = false
    /// The time since which it has a network again and records to send.
    var drainsSince: MonotonicInstant?
    var flights: [(request: UInt64, flight: Flight)] = []
    var token = TokenWatch()
    var refusals = RefusalWatch()
    /// The last true crossing of each fence that no event has reported yet.
    var crossings: [String: Crossing] = [:]
  }

  /// A true entry into a fence, or exit from it.
  struct Crossing {
    let instant: MonotonicInstant
    let isEntry: Bool
  }

  let scenario: Scenario
  let setup: RunSetup
  var table: MeasureTable
  var chart: ChartRecorder
  var judge: ThresholdJudge
  let devices: PerDevice<DeviceState>
  /// The bit of each fault, by name.
  private let faultBits: [String: UInt64]
  /// The count of each check of the scenario.
  var checkCounts: [Cell]
  /// 401 answers that may be the ordinary expiry of a token.
  var unauthorized: [Int: Unauthorized] = [:]
  private(set) var now = MonotonicInstant(nanoseconds: 0)
  /// The wall clock of the device of the current event.
  private(set) var wall = WallInstant(millisecondsSince1970: 0)
  package private(set) var hasSeenEnough = false
  /// The number of uploads by their end.
  var uploadEnds: [RequestEnd: Int] = [:]
  var repeatedUploads = 0
  /// Uploads whose app ended first.
  var abandonedUploads = 0
  /// The end of the drives; nil before.
  private(set) var settledSince: Nanoseconds?
  /// The end of the drives by the machine's clock, and the number of uploads that had ended.
  private(set) var endOfDrives: (at: MonotonicInstant, uploads: Int)?
  var uploadsEnded: Int { uploadEnds.values.reduce(0, +) }
  /// The processor load up to the end of the run, before the look at the server's store.
  var loadAtEnd: ProcessorGauge?
  var uploadPace = Pace()
  var recordPace = Pace()
  /// The number of clauses that a real server's answers have broken, known at the end.
  package var clausesBroken = 0

  /// `setup` is the setup of `scenario`. Throws for thresholds on measures that are not available. `processorTime` returns
  /// the processor time of the process.
  package init(
    _ scenario: Scenario, _ setup: RunSetup, processorTime: (() -> Nanoseconds)? = nil
  ) throws(UnsupportedScenarioError) {
    (self.scenario, self.setup) = (scenario, setup)
    let bits = scenario.faults.prefix(64).enumerated().map { ($0.element.name, UInt64(1) << UInt64($0.offset)) }
    faultBits = Dictionary(bits) { first, second in first | second }
    checkCounts = scenario.checks.map { _ in Cell() }
    let fleets = setup.fleets.enumerated().flatMap { repeatElement($0, count: $1.simulated.count) }
    devices = PerDevice(count: fleets.count) { DeviceState(fleet: fleets[$0]) }
    table = MeasureTable(setup)
    chart = ChartRecorder(
      span: setup.duration + setup.settle, fleetCount: setup.fleets.count,
      processorTime: setup.outside == nil ? nil : processorTime)
    for fault in scenario.faults {
      guard let start = fault.start, start < setup.duration else { continue }
      chart.mark(fault.name, from: start, until: min(start + fault.duration, setup.duration))
    }
    judge = try ThresholdJudge(scenario, setup, in: &table)
  }

  /// The timeline of all completed intervals.
  package var timeline: Timeline { chart.timeline }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    if context.now.monotonic > now { pass(to: context.now.monotonic) }
    wall = context.now.wall
    let (device, before) = (context.device, devices[context.device].network)
    let isBackOnline = isOffline(before) && !isOffline(context.network)
    if context.network != before { devices[device].network = context.network }
    switch event {
    case .launched:
      set(\.isActive, true, of: device)
      if isBackOnline { beginDraining(device) }
    case .killed:
      settleUnauthorized(of: device)
      set(\.isActive, false, of: device)
      set(\.isMoving, false, of: device)
      for entry in devices[device].flights { end(entry.flight, nil, of: device) }
      devices[device].flights = []
    case .network(let network):
      if isOffline(network) { devices[device].drainsSince = nil } else if isBackOnline { beginDraining(device) }
    case .queue(let note): enter(note, context)
    case .sent(let request): depart(request, of: device)
    case .carried(let request, let timings, _): carry(request, timings, of: device)
    case .connected(let request, let isNew): connect(request, isNew: isNew, of: device)
    case .crossed(let fence, let isEntry):
      devices[device].crossings[fence] = Crossing(instant: now, isEntry: isEntry)
    case .turn(let lag): table.record(.generatorLag, lag, tags(of: device))
    case .ended(let request, let outcome):
      guard let index = devices[device].flights.firstIndex(where: { $0.request == request }) else { return }
      end(devices[device].flights.remove(at: index).flight, outcome, of: device)
    case .told(let event): hear(event, of: device)
    case .healed: settle(device)
    case .configured(let configuration): learn(configuration.authorization, of: device)
    case .faultBegan(let occurrence):
      devices[device].faults |= faultBits[occurrence.fault] ?? 0
      if occurrence.effects.contains(.endsTokens) { devices[device].token.takeBack() }
    case .faultEnded(let occurrence):
      devices[device].faults &= ~(faultBits[occurrence.fault] ?? 0)
      if occurrence.end.map({ $0 > occurrence.start }) ?? true { beginDraining(device) }
    default: break
    }
  }

  package func mark(_ words: String, from start: Nanoseconds, until end: Nanoseconds) {
    chart.mark(words, from: start, until: min(end, setup.duration))
  }

  /// Sets the source of the number of connections to a real server.
  func watchConnections(_ count: @escaping () -> Int) { chart.connections = count }

  private func settle(_ device: Int) {
    if settledSince == nil { settledSince = now - MonotonicInstant(nanoseconds: 0) }
    if endOfDrives == nil { endOfDrives = (SystemClock().monotonicNow, uploadsEnded) }
    devices[device].isSettling = true
    devices[device].refusals.endDrive(at: now)
  }

  private func isOffline(_ network: RadioNetwork) -> Bool { setup.radio.kind(of: network) == .none }

  /// The device can send its records again.
  private func beginDraining(_ device: Int) {
    if !isOffline(devices[device].network), devices[device].drainsSince == nil, devices[device].backlog.count > 0 {
      devices[device].drainsSince = now
    }
  }

  /// Advances the time: completes intervals of the timeline, and evaluates thresholds that end a run.
  private func pass(to instant: MonotonicInstant) {
    now = instant
    let elapsed = instant - MonotonicInstant(nanoseconds: 0)
    table.piece = SampleGroups.piece(at: elapsed.seconds / max(setup.duration.seconds, 1))
    chart.advance(to: instant)
    if judge.isDue(at: instant), judge.isMissed(in: table, chart, at: instant) { hasSeenEnough = true }
  }

  private func set(_ path: WritableKeyPath<DeviceState, Bool>, _ value: Bool, of device: Int) {
    guard devices[device][keyPath: path] != value else { return }
    devices[device][keyPath: path] = value
    let (fleet, step) = (devices[device].fleet, value ? 1 : -1)
    if path == \DeviceState.isActive { chart.active[fleet] += step } else { chart.moving[fleet] += step }
  }

  func change(_ device: Int, _ change: (inout DeviceState) -> Void) { change(&devices[device]) }

  func tags(of device: Int) -> SampleTags {
    SampleTags(
      device: device, fleet: devices[device].fleet, network: devices[device].network, faults: devices[device].faults)
  }

  /// A device that was inside when monitoring began is notified without a crossing.
  private func noteDelay(of action: GeofenceTrigger.Action, at fence: String, _ device: Int) {
    guard action != .dwell, let crossing = devices[device].crossings[fence], crossing.isEntry == (action == .enter)
    else { return }
    devices[device].crossings[fence] = nil
    table.record(.geofenceDelay, now - crossing.instant, tags(of: device))
  }

  private func hear(_ event: HostEvent, of device: Int) {
    switch event {
    case .authorization(let event):
      var tags = tags(of: device)
      tags.status = event.status
      table.count(.authRefreshes, tags)
      devices[device].refusals.endRefresh(event, at: now)
      if event.isSuccess {
        unauthorized[device]?.isRefreshed = true
      } else {
        table.count(.authRefreshFailures, tags)
      }
    case .engine(.enabledChange(let isEnabled)): enable(isEnabled, device)
    case .engine(.motionChange(let record)): set(\.isMoving, record.isMoving, of: device)
    case .engine(.geofence(let record, let fence)):
      table.count(.geofenceTransitions, tags(of: device))
      if let action = record.geofence?.action { noteDelay(of: action, at: fence.identifier, device) }
    case .commanded: table.count(.remoteCommandsApplied, tags(of: device))
    default: break
    }
  }
}

/// The data that checks use.
extension Measures {
  /// A 401 to a token is not judged before the next answer: if a new token is then accepted, the old one had merely expired, and
  /// no check applies.
  func check(_ answer: Answer, _ tags: SampleTags, of device: Int) {
    guard !scenario.checks.isEmpty else { return }
    let isAuthorized = answer.status != 401
    if !unauthorized.isEmpty {
      if isAuthorized, unauthorized[device]?.isRefreshed == true { unauthorized[device] = nil }
      settleUnauthorized(of: device)
    }
    if (200..<300).contains(answer.status) { devices[device].token.accept() }
    if !isAuthorized, devices[device].token.isThere {
      unauthorized[device] = Unauthorized(answer: answer, tags: tags)
    } else {
      judge(answer, tags)
    }
  }

  private func settleUnauthorized(of device: Int) {
    if let last = unauthorized.removeValue(forKey: device) { judge(last.answer, last.tags) }
  }

  /// Judges the remaining 401 answers at the end of the run, when no further answer will follow.
  func settleUnauthorized() { for device in unauthorized.keys.sorted() { settleUnauthorized(of: device) } }

  private func judge(_ answer: Answer, _ tags: SampleTags) {
    var tags = tags
    for (index, check) in scenario.checks.enumerated() where check.value.isTested(by: answer.status) {
      tags.check = index
      let isMet = answer.meets(check.value)
      table.judge(.checks, isMet, tags)
      // In the settle phase only thresholds that include it use checks.
      if !tags.isSettling { checkCounts[index].judge(isMet) }
    }
  }
}

/// An answer as checks see it.
struct Answer {
  let flight: Measures.Flight
  let status: Int
  let bytes: Int
  let duration: Nanoseconds

  func meets(_ condition: Condition) -> Bool {
    switch condition.subject {
    case .requestBytes: condition.holds(Double(flight.bytes))
    case .requestRecords: condition.holds(Double(flight.payload.uuids.count))
    case .responseStatus: condition.holds(Double(status))
    case .responseBytes: condition.holds(Double(bytes))
    case .responseDuration: condition.holds(duration.seconds * 1_000)
    }
  }
}

/// The value of one measure, or of a part of it, so far. The histogram is allocated with its first value.
struct Cell {
  private(set) var hits = 0
  private(set) var total = 0
  private(set) var histogram: Histogram?

  mutating func count(_ more: Int = 1) { total += more }

  mutating func judge(_ isHit: Bool) {
    total += 1
    if isHit { hits += 1 }
  }

  mutating func add(hits: Int, of total: Int) {
    self.hits += hits
    self.total += total
  }

  mutating func record(_ value: UInt64, upTo highest: UInt64) {
    if case nil = histogram { histogram = Histogram(highestTrackableValue: highest) }
    histogram?.record(value)
  }

  mutating func add(_ other: Cell) {
    hits += other.hits
    total += other.total
    guard let more = other.histogram else { return }
    guard histogram != nil else { return histogram = more }
    do throws(HistogramError) { try histogram?.merge(more) } catch {
      preconditionFailure("histograms of one measure have one range: \(error)")
    }
  }

  /// Returns the figure of any measure except gauges.
  func figure(of measure: Measure) -> Figure {
    switch measure.metric.kind {
    case .counter: .counter(total)
    case .rate: .rate(hits: hits, of: total)
    case .trend:
      .trend(
        Spread(
          histogram: histogram ?? Histogram(highestTrackableValue: measure.highestTrackableValue),
          resolution: measure.resolution))
    case .gauge: .gauge(LevelSeries())
    }
  }
}
