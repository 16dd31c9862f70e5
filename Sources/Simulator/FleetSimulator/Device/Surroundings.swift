import Base
import Contract
import Database
import Engine
import Host
import Oracle
import Sensing
import Vocabulary
import World

/// The conditions that a phone monitors for its app beside positions and motion: fences, the region around them, significant location
/// changes, and background fetches. Only phones whose app demands some of it have one.
final class Surroundings {
  /// A crossing that the phone has detected and will report to its app.
  struct Report {
    let identifier: String?
    let circle: Circle
    let isEntry: Bool
    let due: MonotonicInstant
  }

  var watches: [CircleWatch] = []
  var reports: [Report] = []
  /// The position at the last report of a significant change.
  var significantPlace: Coordinate?
  var significantEarliest = MonotonicInstant(nanoseconds: 0)
  var significantDue: MonotonicInstant?
  var fetches = BackgroundFetches()
  /// The episode of the body for which the crossings are solved.
  private var episodeStart: MonotonicInstant?

  /// Significant changes come about every 500 m, and at most every five minutes (SDK §12).
  static let significantMetres = 500.0
  static let significantInterval = Nanoseconds.seconds(300)

  var isIdle: Bool {
    watches.isEmpty && reports.isEmpty && significantPlace == nil && fetches.due == nil
  }

  /// When the phone must next check its surroundings.
  var next: MonotonicInstant? {
    var next = fetches.due
    func add(_ instant: MonotonicInstant?) { if let instant { next = min(next ?? instant, instant) } }
    add(significantDue)
    for watch in watches { add(watch.next) }
    for report in reports { add(report.due) }
    return next
  }

  /// Computes the times of the next events, once for each episode of the body.
  func look(at body: Body, after instant: MonotonicInstant) {
    guard body.episode.start != episodeStart else { return }
    episodeStart = body.episode.start
    for index in watches.indices { watches[index].follow(body, at: instant) }
    solveSignificant(body, after: instant)
  }

  /// Resumes after a time in which the phone was off.
  func resume(at body: Body, _ instant: MonotonicInstant) {
    for index in watches.indices { watches[index].resume(body, at: instant) }
    fetches.demand(fetches.due != nil, at: instant)
    solveSignificant(body, after: instant)
    episodeStart = body.episode.start
  }

  func solveSignificant(_ body: Body, after instant: MonotonicInstant) {
    significantDue = nil
    guard let place = significantPlace else { return }
    let isBeyond = place.distanceMetres(to: body.position(at: instant)) >= Surroundings.significantMetres
    let crossing =
      isBeyond
      ? instant + .milliseconds(1)
      : body.nextCrossing(distanceMetres: Surroundings.significantMetres, from: place, after: instant)
    significantDue = crossing.map { max($0, significantEarliest) }
  }

  /// Starts the next significant change at this position; it is reported only after the interval.
  func toldSignificantPlace(of body: Body, at instant: MonotonicInstant) {
    significantEarliest = instant + Surroundings.significantInterval
    significantPlace = body.position(at: instant)
    solveSignificant(body, after: instant)
  }
}

/// What a device does with its surroundings: it applies the app's demands, and delivers what the system detects.
extension SimulatedDevice {
  /// Applies the demands that the app has made since the last call.
  mutating func applyDemands(at instant: MonotonicInstant) {
    if !phone.demands.isEmpty {
      let demands = phone.demands
      phone.demands = []
      let around = phone.surroundings ?? Surroundings()
      phone.surroundings = around
      for demand in demands { apply(demand, around, at: instant) }
      if around.isIdle { phone.surroundings = nil }
    }
    phone.surroundings?.look(at: body, after: instant)
  }

  private mutating func apply(_ demand: SensorDemand, _ around: Surroundings, at instant: MonotonicInstant) {
    switch demand {
    case .geofences(let on, let off):
      let gone = off + on.map(\.identifier)
      around.watches.removeAll { watch in watch.identifier.map { gone.contains($0) } ?? false }
      for fence in on {
        guard let circle = host.engine.circle(ofGeofence: fence.identifier) else { continue }
        // A crossing of another fence of this name, which the new one has replaced, is none of the new one (Geofence 34).
        around.reports.removeAll { $0.identifier == fence.identifier && $0.circle != circle }
        // The crossing test starts from the app's own status: a crossing that started the app has been reported since the
        // fence was requested, and one that is still to be reported counts as reported. An app without an initial trigger
        // requests changes only, except for fences that it knew before: it must learn what happened to them meanwhile.
        let reported = around.reports.last { $0.identifier == fence.identifier }?.isEntry
        let isInside = host.engine.geofence(fence.identifier)?.status.isInside ?? fence.status.isInside
        let isAsked =
          host.configuration.geolocation.geofenceInitialTriggerEntry
          || host.engine.keepsStatus(ofGeofence: fence.identifier)
        let wasInside = reported ?? (isInside || isAsked ? isInside : nil)
        around.watches.append(CircleWatch(fence.identifier, circle, wasInside: wasInside, body, at: instant))
      }
    case .proximityRegion(let circle):
      around.watches.removeAll { $0.identifier == nil }
      if followsSignificantChanges { around.reports.removeAll { $0.identifier == nil } }
      // The app has the device inside; around an outlier it is not, and the system tells it so.
      if let circle { around.watches.append(CircleWatch(nil, circle, wasInside: true, body, at: instant)) }
    case .significantChanges(let isOn):
      // Android has no such service; the app requests coarse positions instead.
      let configuration = host.configuration
      let isKnown = configuration.platform == .ios || followsSignificantChanges
      around.significantPlace = isOn && isKnown ? body.position(at: instant) : nil
      around.solveSignificant(body, after: instant)
    case .backgroundFetch(let isOn): around.fetches.demand(isOn, at: instant)
    case .locationUpdates, .sampling, .stationaryRegion, .activityUpdates: break
    }
  }

  private var followsSignificantChanges: Bool {
    host.configuration.platform == .android && host.configuration.geolocation.useSignificantChangesOnly
  }

  mutating func senseSurroundings(at now: Moment, in run: RunContext) throws(DatabaseError) {
    guard let around = phone.surroundings, let next = around.next, next <= now.monotonic else { return }
    for index in around.watches.indices {
      let finding = around.watches[index].advance(to: now.monotonic, body)
      let identifier = around.watches[index].identifier
      if let identifier, let isEntry = finding.crossed {
        run.tell(.crossed(fence: identifier, isEntry: isEntry), link.context(at: now))
      }
      if let isEntry = finding.noticed {
        var due = now.monotonic + reportDelay(of: index, at: now.monotonic, in: run)
        // With `useSignificantChangesOnly`, Android delivers positions only a few times per hour, for every purpose.
        if identifier == nil && followsSignificantChanges { due = max(due, around.significantEarliest) }
        // In the order of the crossings (SDK §15.3.11).
        if let earlier = around.reports.last(where: { $0.identifier == identifier }) { due = max(due, earlier.due) }
        let circle = around.watches[index].circle
        around.reports.append(
          Surroundings.Report(identifier: identifier, circle: circle, isEntry: isEntry, due: due))
      }
    }
    try tellReports(around, at: now, in: run)
    if let due = around.significantDue, due <= now.monotonic {
      around.toldSignificantPlace(of: body, at: now.monotonic)
      run.trace.note(.region, 2, of: number, at: now.monotonic)
      try signal(.significantChange(coarseFix(at: now, in: run)), at: now, in: run)
    }
    if around.fetches.take(at: now.monotonic) {
      run.trace.note(.region, 3, of: number, at: now.monotonic)
      run.tell(.fetched, link.context(at: now))
      try signal(.backgroundFetch, at: now, in: run)
    }
  }

  private mutating func tellReports(
    _ around: Surroundings, at now: Moment, in run: RunContext
  ) throws(DatabaseError) {
    while let index = around.reports.firstIndex(where: { $0.due <= now.monotonic }) {
      let report = around.reports.remove(at: index)
      // Android passes on the position that proved the crossing; iOS passes none.
      let fix = host.configuration.platform == .android ? coarseFix(at: now, in: run) : nil
      run.trace.note(.region, report.isEntry ? 4 : 5, of: number, at: now.monotonic)
      if let identifier = report.identifier {
        try signal(.geofenceCrossing(identifier: identifier, isEntry: report.isEntry, fix), at: now, in: run)
      } else if !report.isEntry {
        if followsSignificantChanges { around.toldSignificantPlace(of: body, at: now.monotonic) }
        try signal(.proximityRegionExit(fix), at: now, in: run)
      }
    }
  }

  private mutating func reportDelay(of index: Int, at instant: MonotonicInstant, in run: RunContext) -> Nanoseconds {
    let n = UInt64(bitPattern: instant.nanoseconds / 1_000_000) << 18 + UInt64(index) << 2
    var draws = RandomStream(
      seed: run.setup.seed, device: key, concern: FleetStreamID.crossing.rawValue, n: n)
    return CrossingTest.delay(draws.uniform())
  }

  /// Returns a position from cells and known wireless networks.
  private mutating func coarseFix(at now: Moment, in run: RunContext) -> Fix {
    let n = UInt64(bitPattern: now.monotonic.nanoseconds / 1_000_000) << 2
    var draws = RandomStream(
      seed: run.setup.seed, device: key, concern: FleetStreamID.coarsePosition.rawValue, n: n)
    // With x and y normally distributed, 68 % lie within 1.51 deviations.
    let deviation = NetworkPosition.accuracyMetres / 1.51
    let truth = body.position(at: now.monotonic)
    let offset = Offset(east: draws.normal() * deviation, north: draws.normal() * deviation)
    let place = LocalScale(latitude: truth.latitude).place(at: offset, from: truth)
    return Fix(network: place, at: now.wall)
  }
}
