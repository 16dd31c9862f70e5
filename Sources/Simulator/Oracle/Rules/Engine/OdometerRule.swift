import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I17: the odometer never goes back unless it is set, has then the value that was set, its error grows with it
/// (LocationEvent `odometerError`), it never exceeds what the true path allows, and is not much below the certain distances
/// between positions of one trip (BGGeo `odometer`; SDK §17). The SDK measures chords of the path, shortens steps at motion
/// changes, and omits steps that seem too long. A device with the observed behaviour counts the path between the last
/// position of one trip and the first of the next twice (SDK §17.8).
final class OdometerRule: Rule {
  override class var invariant: Invariant { .odometerTolerance }
  override class var interest: Interest { [.told, .refused, .life, .truth, .course] }

  /// The start of a comparison of odometer and true path, with its sums.
  private struct Course {
    let odometer: Double
    let metres: Double
    /// The amount by which the steps between positions may be too long, from the true errors of the positions.
    var errors = 0.0
    /// The last record at which the odometer grew.
    var last: (odometer: Double, place: Coordinate)
    /// The growth at that record.
    var growth = 0.0
    /// The length of long steps that the filter may have retained.
    var kept = 0.0
    /// The length of paths that count twice.
    var again = 0.0
    /// Whether the filter still holds the length of a path that counted twice, or of a step to or from an outlier.
    var isCarrying = false
    /// Whether the last record was one.
    var isAtOutlier = false
    /// The sum of the steps between exact positions, and the end of the last of them.
    var sure = 0.0
    var exact: (place: Coordinate, instant: MonotonicInstant)?

    init(_ odometer: Double, _ metres: Double, at place: Coordinate) {
      (self.odometer, self.metres) = (odometer, metres)
      last = (odometer, place)
    }

    /// Notes a path that the next step counts again; the filter has no earlier step then.
    mutating func repeatWay(of metres: Double) {
      again += metres
      (growth, isCarrying) = (0, true)
    }

    /// Notes growth. The filtered length of a step lies between its own length and the previous filtered one: after a long
    /// step, across a gap between positions, it decreases slowly (SDK §17, item 3).
    mutating func grow(to odometer: Double, at place: Coordinate, isOutlier: Bool) {
      guard odometer > last.odometer else { return }
      defer { (isCarrying, isAtOutlier) = (isCarrying || isOutlier || isAtOutlier, isOutlier) }
      let grown = odometer - last.odometer
      if growth > OdometerRule.smoothing.metres || isCarrying {
        let step = place.distanceMetres(to: last.place)
        kept += max(0, min(growth, grown) - step)
        if grown <= step { isCarrying = false }
      }
      growth = grown
      last = (odometer, place)
    }
  }

  private struct Gauge {
    /// The odometer of the last record, and its error; nil where the next one may be smaller.
    var odometer = 0.0
    var error: Double?
    /// The last reported position, the last one that was accurate enough to count, and those since then that may belong to a
    /// command.
    var told: Coordinate?
    var counted: Coordinate?
    var commanded: [Coordinate] = []
    var place: Coordinate?
    var metres = 0.0
    var course: Course?
    /// The true distance at the last position of the stream, for a device that measures from there.
    var streamed: Double?
    /// Whether its next position is the first of a trip.
    var isSettingOff = false
    /// Whether its store has failed: what it could not write is lost with the app.
    var isDisturbed = false
    var isTold = false
    /// Values that commands have set: their records are still to come and contain the value, whatever was counted
    /// meanwhile (SDK §17.6).
    var valuesToCome: [(metres: Double, until: MonotonicInstant)] = []
    /// The value of the last command, if no other one came soon before it.
    var setTo: SetOdometer?
  }

  private let gauges: PerDevice<Gauge>

  /// The SDK's filter smooths the lengths of steps; what it takes from one it adds to the next ones.
  private static let smoothing = (share: 0.1, metres: 500.0)
  /// An error that no ordinary position has.
  private static let outlierMetres = 100.0
  /// With a worse accuracy a step counts less than its length (SDK §17.1).
  private static let exactMetres = 10.0
  /// Longer steps may be omitted as implausible.
  private static let stepMost = 120.0
  /// The minimum share of the certain distance, checked after some kilometres.
  private static let least = (share: 0.5, metres: 3_000.0)

  /// Returns the accuracy up to which a position counts (SDK §17.1).
  private func countedMetres(of device: Int) -> Double {
    ledger.truth.lives[device].configuration?.geolocation.filter.odometerAccuracyThresholdMetres ?? 20
  }

  /// Records contain two decimals, and come with the position that a command requests.
  private static let (setMetres, timeToCome) = (0.006, Nanoseconds.seconds(300))
  /// Beyond it sums lose parts of a metre, and at the largest numbers whole steps.
  private static let exactSumsMax = 1e10

  required init(_ ledger: Ledger) {
    gauges = PerDevice(Gauge(), in: ledger.space)
    super.init(ledger)
  }

  override class var absence: String { "no device recorded two positions" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .queue(.refused): gauges[device].isDisturbed = true
    case .kept(let state) where ledger.pages[device].aliveSince == nil:
      if gauges[device].isDisturbed {
        (gauges[device].odometer, gauges[device].error, gauges[device].course) = (state.odometerMetres, nil, nil)
      }
      gauges[device].isDisturbed = false
    case .stood(let place, let metres): (gauges[device].place, gauges[device].metres) = (place, metres)
    case .strayed: gauges[device].setTo?.hasStrayed = true
    case .told(.engine(.location(let record))) where !record.isSample:
      if gauges[device].setTo != nil { compareWithValue(record, context) }
      if isOfCommand(record, context) {
        if let place = record.coords.place { gauges[device].commanded.append(place) }
        return follow(record, device)
      }
      judge(record, context)
      if record.event == .geofence, !countsTransitions(device) { return }
      follow(record, device)
      compare(record, context)
      measure(record, context)
    case .told(.engine(.motionChange(let record))):
      gauges[device].course?.exact = nil
      gauges[device].isSettingOff = record.isMoving || recordsAtRest(device)
    case .told(.engine(.enabledChange)), .killed, .asked, .told(.commanded(.stop)),
      .told(.commanded(.startGeofences)), .told(.commanded(.start)):
      gauges[device].course?.exact = nil
      gauges[device].streamed = nil
      // The app may set it, too, and a process that ends may have found no position for it.
      switch event {
      case .asked(.setOdometer), .asked(.resetOdometer), .killed: gauges[device].setTo = nil
      default: break
      }
    case .told(.engine(.geofence(let record, _))) where countsTransitions(device): compare(record, context)
    case .told(.commanded(.setOdometer(let metres))): set(context, to: metres)
    case .told(.commanded(.resetOdometer)): set(context, to: 0)
    default: break
    }
  }

  /// While locations are tracked a transition does not advance the odometer, which lags behind its position (SDK §17.5).
  private func countsTransitions(_ device: Int) -> Bool {
    ledger.truth.lives[device].expectation?.goal == .geofences
  }

  /// With significant changes only, Android's stream goes on at rest (SDK §12.7.3), and counts as observed (SDK §25.2).
  private func recordsAtRest(_ device: Int) -> Bool { ledger.truth.lives[device].followsSignificantChanges }

  private func set(_ context: EventContext, to metres: Double) {
    let (device, now) = (context.device, context.now.monotonic)
    // The next record is not compared with the odometer before the command, nor with the value, which may come later: only an
    // odometer below both 0 and the value goes back.
    (gauges[device].odometer, gauges[device].error, gauges[device].course) = (min(0, metres), nil, nil)
    gauges[device].valuesToCome.removeAll { $0.until < now }
    let gauge = gauges[device]
    let isAlone = gauge.valuesToCome.isEmpty && metres.magnitude <= OdometerRule.exactSumsMax
    let way = min(gauge.metres, gauge.streamed ?? gauge.metres)
    gauges[device].setTo = isAlone ? SetOdometer(metres: metres, instant: now, way: way) : nil
    gauges[device].valuesToCome.append((metres, now + OdometerRule.timeToCome))
    gauges[device].isSettingOff = true
  }

  /// Compares the first record that comes a while after a command with the value that it has set. Without a position the command
  /// fails (BGGeo `setOdometer`).
  private func compareWithValue(_ record: LocationRecord, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard var value = gauges[device].setTo, let place = gauges[device].place, let told = record.coords.place else {
      return
    }
    value.errors += 2 * told.distanceMetres(to: place)
    gauges[device].setTo = value
    guard now > value.instant + OdometerRule.timeToCome else { return }
    gauges[device].setTo = nil
    let life = ledger.truth.lives[device]
    guard life.isSound(since: value.instant), life.seesSky(since: value.instant) else { return }
    exercised += 1
    if let fault = value.fault(of: record.odometer, at: gauges[device].metres) { flag(context, record.uuid, fault) }
  }

  /// Reports whether the record belongs to a command. It contains the value that was set, whatever has happened since, so
  /// nothing is measured from it.
  private func isOfCommand(_ record: LocationRecord, _ context: EventContext) -> Bool {
    gauges[context.device].valuesToCome.contains {
      abs($0.metres - record.odometer) < OdometerRule.setMetres && context.now.monotonic <= $0.until
    }
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let before = gauges[context.device].odometer
    gauges[context.device].odometer = record.odometer
    judgeError(of: record, grown: record.odometer - before, context)
    if record.odometer < before {
      gauges[context.device].course = nil
      flag(context, record.uuid, "the odometer goes back from \(before) m to \(record.odometer) m")
    }
  }

  /// The error grows with each position that counts, and is 0 after the odometer is set only (SDK §17.4).
  private func judgeError(of record: LocationRecord, grown: Double, _ context: EventContext) {
    guard let error = record.odometerError else { return }
    defer { gauges[context.device].error = error }
    guard let before = gauges[context.device].error else { return }
    if error < before {
      flag(context, record.uuid, "odometer_error goes back from \(before) m to \(error) m")
    } else if grown > 0, error == before, record.coords.accuracy ?? 0 > 0, error < OdometerRule.exactSumsMax {
      flag(context, record.uuid, "the odometer grows by \(grown) m, and odometer_error does not")
    }
  }

  /// Handles the observed behaviour: the first position of a trip, or after the odometer was set, counts the path since the
  /// last position before, which the motion changes in between have already counted.
  private func follow(_ record: LocationRecord, _ device: Int) {
    guard record.event == nil, record.isMoving || recordsAtRest(device),
      ledger.behaviours[ledger.homes[device].fleet] == .observed
    else { return }
    defer { (gauges[device].streamed, gauges[device].isSettingOff) = (gauges[device].metres, false) }
    let gauge = gauges[device]
    guard gauge.isSettingOff, let streamed = gauge.streamed else { return }
    gauges[device].course?.repeatWay(of: gauge.metres - streamed)
  }

  /// Sums the certain distances, and checks that the odometer has grown with them.
  private func measure(_ record: LocationRecord, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard var course = gauges[device].course,
      let place = record.coords.place
    else { return }
    defer { gauges[device].course = course }
    let exactMetres = min(OdometerRule.exactMetres, countedMetres(of: device))
    guard record.event == nil, record.isMoving, (record.coords.accuracy ?? .infinity) <= exactMetres else {
      return course.exact = nil
    }
    if let exact = course.exact, now - exact.instant < .seconds(60) {
      let step = exact.place.distanceMetres(to: place)
      if step <= OdometerRule.stepMost { course.sure += step }
    }
    course.exact = (place, now)
    let grown = record.odometer - course.odometer
    guard course.sure > OdometerRule.least.metres, grown < course.sure * OdometerRule.least.share - course.errors,
      !gauges[device].isTold
    else { return }
    gauges[device].isTold = true
    flag(
      context, record.uuid,
      "the odometer has grown by \(Int(grown)) m on steps between exact positions that come to \(Int(course.sure)) m")
  }

  private func compare(_ record: LocationRecord, _ context: EventContext) {
    guard record.odometer.magnitude <= OdometerRule.exactSumsMax else { return gauges[context.device].course = nil }
    let gauge = gauges[context.device]
    guard let place = gauge.place,
      let told = record.coords.place
    else { return }
    let isCounted = record.coords.accuracy ?? 0 <= countedMetres(of: context.device)
    defer {
      gauges[context.device].told = told
      if isCounted { (gauges[context.device].counted, gauges[context.device].commanded) = (told, []) }
    }
    guard var course = gauge.course else {
      // At a position that is too inaccurate to count, the odometer lags behind the path (SDK §17.1).
      guard isCounted else { return }
      var course = Course(record.odometer, gauge.metres, at: told)
      course.errors = told.distanceMetres(to: place)
      course.isAtOutlier = course.errors > OdometerRule.outlierMetres
      // The part of the step to this point that the filter has retained is still to be counted. That step began at the last
      // position that counted, with that of a command, however poor, or with the observed behaviour at the last one (SDK
      // §17.1, §17.7, §17.8).
      course.kept = ([gauge.counted, gauge.told] + gauge.commanded).reduce(0) {
        max($0, $1?.distanceMetres(to: told) ?? 0)
      }
      return gauges[context.device].course = course
    }
    exercised += 1
    let error = told.distanceMetres(to: place)
    course.grow(to: record.odometer, at: told, isOutlier: error > OdometerRule.outlierMetres)
    // A step is affected by the errors of both its ends.
    course.errors += 2 * error
    gauges[context.device].course = course
    let (grown, gone) = (record.odometer - course.odometer, gauge.metres - course.metres)
    let limit =
      (gone + course.again) * (1 + OdometerRule.smoothing.share) + course.errors + course.kept
      + OdometerRule.smoothing.metres
    guard grown > limit, !gauge.isTold else { return }
    gauges[context.device].isTold = true
    flag(
      context, record.uuid,
      "the odometer has grown by \(Int(grown)) m on a distance of \(Int(gone)) m, with position errors of \(Int(course.errors / 2)) m in total"
    )
  }
}
