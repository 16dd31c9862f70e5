package import Base
import Contract
import Engine
import Host
import Queue
package import Scenario
import Upload
import Vocabulary
import World

/// Measures a run while it goes on: figures by fleet and by the parts that thresholds ask for, the timeline, the checks.
/// What it keeps does not grow with the length of the run; only with what waits in the devices.
package final class Measures: Watcher {
  /// A request whose end is not known yet.
  struct Flight {
    let sentAt: MonotonicInstant
    let bytes: Int
    let cargo: OutgoingRequest.Cargo
    /// On the network, where that is not the devices' own time.
    var serviceTime: Nanoseconds?
    /// One bit for each fault that held the device when it was sent, or when a record in it was made.
    var faults: UInt64 = 0
    var isSettling = false
  }

  /// An upload that was answered with 401.
  struct Unauthorized {
    let answer: Answer
    let tags: SampleTags
    /// The device has a new token since.
    var isRefreshed = false
  }

  /// What is known of one device.
  struct DeviceState {
    let fleet: Int
    var backlog = Backlog()
    var network = RadioNetwork.none
    var faults: UInt64 = 0
    var isActive = false
    /// The drives are over.
    var isSettling = false
    var isMoving = false
    /// Since when it has a network again and something to send.
    var drainsSince: MonotonicInstant?
    var flights: [(request: UInt64, flight: Flight)] = []
    var token = TokenWatch()
    var refusals = RefusalWatch()
    /// The last true crossing of the rim of each fence that no event has told of yet.
    var crossings: [String: Crossing] = [:]
  }

  /// A body came into a fence, or went out of it.
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
  /// By the name of a fault.
  private let faultBits: [String: UInt64]
  /// One for each check of the scenario.
  var checkCounts: [Cell]
  /// Answers 401 of which it is not known yet whether they are the ordinary end of a token.
  var unauthorized: [Int: Unauthorized] = [:]
  private(set) var now = MonotonicInstant(nanoseconds: 0)
  /// By the device of which the watcher hears.
  private(set) var wall = WallInstant(millisecondsSince1970: 0)
  package private(set) var hasSeenEnough = false
  /// How uploads ended.
  var uploadEnds: [RequestEnd: Int] = [:]
  var repeatedUploads = 0
  /// Uploads whose app ended before they did.
  var abandonedUploads = 0
  /// When the drives ended; nil while they last.
  private(set) var settledSince: Nanoseconds?
  /// By the machine's clock, and how many uploads had ended by then.
  private(set) var endOfDrives: (at: MonotonicInstant, uploads: Int)?
  var uploadsEnded: Int { uploadEnds.values.reduce(0, +) }
  var uploadPace = Pace()
  var recordPace = Pace()
  /// What the answers of a real server have broken, known at the end.
  package var clausesBroken = 0

  /// `setup` is what `scenario` comes to. Throws for thresholds of what cannot be measured.
  /// `processorTime` is that of the process.
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

  /// What its intervals have come to that are over.
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

  /// From now on, as the transport of a real server counts them.
  func watchConnections(_ count: @escaping () -> Int) { chart.connections = count }

  private func settle(_ device: Int) {
    if settledSince == nil { settledSince = now - MonotonicInstant(nanoseconds: 0) }
    if endOfDrives == nil { endOfDrives = (SystemClock().monotonicNow, uploadsEnded) }
    devices[device].isSettling = true
    devices[device].refusals.endDrive(at: now)
  }

  private func isOffline(_ network: RadioNetwork) -> Bool { setup.radio.kind(of: network) == .none }

  /// What kept its records from going out is over.
  private func beginDraining(_ device: Int) {
    if !isOffline(devices[device].network), devices[device].drainsSince == nil, devices[device].backlog.count > 0 {
      devices[device].drainsSince = now
    }
  }

  /// Time has gone on: intervals of the timeline end, and thresholds that end a run are looked at.
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

  /// Who was inside when the watch began is told of it without having crossed anything.
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

/// What checks are held against.
extension Measures {
  /// An answer 401 to a token waits for the next one: when a new token is taken, it was the ordinary end of the old one, and no
  /// check is about it.
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

  /// At the end of the run none will follow.
  func settleUnauthorized() { for device in unauthorized.keys.sorted() { settleUnauthorized(of: device) } }

  private func judge(_ answer: Answer, _ tags: SampleTags) {
    var tags = tags
    for (index, check) in scenario.checks.enumerated() where check.value.isTested(by: answer.status) {
      tags.check = index
      let isMet = answer.meets(check.value)
      table.judge(.checks, isMet, tags)
      // In the settle phase only a threshold that asks for it is about a check.
      if !tags.isSettling { checkCounts[index].judge(isMet) }
    }
  }
}

/// What checks look at.
struct Answer {
  let flight: Measures.Flight
  let status: Int
  let bytes: Int
  let duration: Nanoseconds

  func meets(_ condition: Condition) -> Bool {
    switch condition.subject {
    case .requestBytes: condition.holds(Double(flight.bytes))
    case .requestRecords: condition.holds(Double(flight.cargo.uuids.count))
    case .responseStatus: condition.holds(Double(status))
    case .responseBytes: condition.holds(Double(bytes))
    case .responseDuration: condition.holds(duration.seconds * 1_000)
    }
  }
}

/// The records that wait in one device, in the order in which they came.
struct Backlog {
  /// One of them.
  struct Record {
    let row: Int64
    let uuid: UUID128
    let insertedAt: MonotonicInstant
    /// How old it was then.
    let ageBefore: Nanoseconds
    /// One bit for each fault that held the device then.
    let faults: UInt64
    var requests: Int32 = 0
  }

  private var records: ContiguousArray<Record> = []
  private var head = 0

  var count: Int { records.count - head }
  var oldest: Record? { head < records.count ? records[head] : nil }

  mutating func append(_ record: Record) { records.append(record) }

  /// Rows ascend. The first one leaves nearly always, and the last one where the newest are sent first.
  mutating func remove(row: Int64) -> Record? {
    let index = records[head...].indexBehind { $0.row < row }
    guard index < records.count, records[index].row == row else { return nil }
    let record = records[index]
    if index == head {
      head += 1
    } else {
      records.remove(at: index)
    }
    shrink()
    return record
  }

  /// Each was in one more request. They stand together at one end, in one order or the other. Gives the faults under which
  /// they were made.
  mutating func sent(_ uuids: [UUID128]) -> UInt64 {
    var faults: UInt64 = 0
    var last: Int?
    for uuid in uuids {
      guard let index = index(of: uuid, beside: last) else { continue }
      records[index].requests += 1
      faults |= records[index].faults
      last = index
    }
    return faults
  }

  /// Beside the one before or, where that is nil, at an end; anywhere else it is searched for.
  private func index(of uuid: UUID128, beside last: Int?) -> Int? {
    let (next, previous) = last.map { ($0 + 1, $0 - 1) } ?? (head, records.count - 1)
    if next < records.count, records[next].uuid == uuid { return next }
    if previous >= head, records[previous].uuid == uuid { return previous }
    return records[head...].firstIndex { $0.uuid == uuid }
  }

  /// An empty queue keeps no memory; a long one gives back what is behind it now and then.
  private mutating func shrink() {
    if head == records.count {
      (records, head) = ([], 0)
    } else if head >= 64, head * 2 >= records.count {
      records.removeFirst(head)
      head = 0
    }
  }
}

/// What one measure, or a part of it, has come to so far. A histogram takes memory only once there is something in it.
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

  /// Of everything but gauges.
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
