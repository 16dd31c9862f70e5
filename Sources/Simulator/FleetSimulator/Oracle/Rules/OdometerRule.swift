import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I17: the odometer never goes back unless it is set, and never says more than the true way allows, nor much less than
/// the positions of one way that are surely apart (BGGeo `odometer`; SDK §17). The SDK sees chords of the way,
/// shortens steps at motion changes, and leaves out those that seem too long. A device with the observed habits counts
/// the way between the last position of one trip and the first of the next one twice (SDK §17.8).
final class OdometerRule: Rule {
  override class var invariant: Invariant { .odometerTolerance }
  override class var interest: Interest { [.told, .refused, .life, .truth, .course] }

  /// Since when the odometer is compared with the way.
  private struct Course {
    let odometer: Double
    let metres: Double
    /// By how much the steps from position to position may be too long, from what each of them is truly wrong.
    var errors = 0.0
    /// At the last record with which it grew.
    var last: (odometer: Double, place: Coordinate)
    /// By how much it grew then.
    var growth = 0.0
    /// What the filter may have kept of long steps.
    var kept = 0.0
    /// Ways that count twice.
    var again = 0.0
    /// The filter still has the length of a way that counted twice.
    var isCarrying = false
    /// What the steps between exact positions come to, and the end of the last of them.
    var sure = 0.0
    var exact: (place: Coordinate, instant: MonotonicInstant)?

    init(_ odometer: Double, _ metres: Double, at place: Coordinate) {
      (self.odometer, self.metres) = (odometer, metres)
      last = (odometer, place)
    }

    /// The step that follows counts it again; the filter knows none before it.
    mutating func repeatWay(of metres: Double) {
      again += metres
      (growth, isCarrying) = (0, true)
    }

    /// The length that the filter gives to a step lies between that of the step and the one that it gave before: after a
    /// long step, over a gap between positions, it comes down slowly (SDK §17, item 3).
    mutating func grow(to odometer: Double, at place: Coordinate) {
      guard odometer > last.odometer else { return }
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
    /// What the last record said.
    var odometer = 0.0
    /// The position that was told last.
    var told: Coordinate?
    var place: Coordinate?
    var metres = 0.0
    var course: Course?
    /// How far it had truly gone at the last position of the stream, for a device that measures from there.
    var streamed: Double?
    /// Its next position is the first of a trip.
    var isSettingOff = false
    /// Its store has failed: what it could not write is gone with the app.
    var isDisturbed = false
    var isTold = false
    /// What commands have set it to: their records are still to come, and say so whatever was counted meanwhile (SDK §17.6).
    var valuesToCome: [(metres: Double, until: MonotonicInstant)] = []
  }

  private let gauges: PerDevice<Gauge>

  /// The filter of the SDK smooths the lengths of steps; what it takes from one it gives to the next ones.
  private static let smoothing = (share: 0.1, metres: 500.0)
  /// With a worse accuracy a step counts for less than its length (SDK §17.1).
  private static let exactMetres = 10.0
  /// Longer steps may be left out as implausible.
  private static let stepMost = 120.0
  /// How much of what is sure has to be there, once it is some kilometres.
  private static let least = (share: 0.5, metres: 3_000.0)

  /// Records say it to two decimals, and come with the position that a command asks for.
  private static let (setMetres, timeToCome) = (0.006, Nanoseconds.seconds(300))
  private static let countedAccuracyMetres = 20.0

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
      if gauges[device].isDisturbed { (gauges[device].odometer, gauges[device].course) = (state.odometerMetres, nil) }
      gauges[device].isDisturbed = false
    case .stood(let place, let metres): stand(at: place, metres, device)
    case .told(.engine(.location(let record))) where !record.isSample:
      if isOfCommand(record, context) { return follow(record, device) }
      judge(record, context)
      follow(record, device)
      compare(record, context)
      measure(record, context)
    case .told(.engine(.motionChange(let record))):
      gauges[device].course?.exact = nil
      gauges[device].isSettingOff = record.isMoving
    case .told(.engine(.enabledChange)), .killed, .asked, .told(.commanded(.stop)),
      .told(.commanded(.startGeofences)), .told(.commanded(.start)):
      gauges[device].course?.exact = nil
      gauges[device].streamed = nil
    case .told(.engine(.geofence(let record, _))): compare(record, context)
    case .told(.commanded(.setOdometer(let metres))): set(context, to: metres)
    case .told(.commanded(.resetOdometer)): set(context, to: 0)
    default: break
    }
  }

  private func set(_ context: EventContext, to metres: Double) {
    let (device, now) = (context.device, context.now.monotonic)
    (gauges[device].odometer, gauges[device].course) = (min(0, metres), nil)
    gauges[device].valuesToCome.removeAll { $0.until < now }
    gauges[device].valuesToCome.append((metres, now + OdometerRule.timeToCome))
    gauges[device].isSettingOff = true
  }

  /// The record of a command says what that has set, whatever has been counted or set since: nothing is measured from there.
  private func isOfCommand(_ record: LocationRecord, _ context: EventContext) -> Bool {
    gauges[context.device].valuesToCome.contains {
      abs($0.metres - record.odometer) < OdometerRule.setMetres && context.now.monotonic <= $0.until
    }
  }

  /// A body that comes again after having left begins a way of its own.
  private func stand(at place: Coordinate, _ metres: Double, _ device: Int) {
    if metres < gauges[device].metres { gauges[device].course = nil }
    (gauges[device].place, gauges[device].metres) = (place, metres)
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let before = gauges[context.device].odometer
    gauges[context.device].odometer = record.odometer
    if record.odometer < before {
      gauges[context.device].course = nil
      flag(context, record.uuid, "the odometer goes back from \(before) m to \(record.odometer) m")
    }
  }

  /// With the observed habits, the first position of a trip, or after the odometer was set, counts the way since the last
  /// one before, which the positions of the motion changes between them have counted.
  private func follow(_ record: LocationRecord, _ device: Int) {
    guard record.event == nil, record.isMoving, ledger.behaviours[ledger.homes[device].fleet] == .observed else {
      return
    }
    defer { (gauges[device].streamed, gauges[device].isSettingOff) = (gauges[device].metres, false) }
    let gauge = gauges[device]
    guard gauge.isSettingOff, let streamed = gauge.streamed else { return }
    gauges[device].course?.repeatWay(of: gauge.metres - streamed)
  }

  /// Adds up what cannot be doubted, and holds the odometer against it.
  private func measure(_ record: LocationRecord, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard var course = gauges[device].course,
      let place = record.coords.place
    else { return }
    defer { gauges[device].course = course }
    guard record.event == nil, record.isMoving, (record.coords.accuracy ?? .infinity) <= OdometerRule.exactMetres else {
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
    let gauge = gauges[context.device]
    guard let place = gauge.place,
      let told = record.coords.place
    else { return }
    defer { gauges[context.device].told = told }
    guard var course = gauge.course else {
      // At a position too poor for it the odometer is behind the way (SDK §17.1).
      if record.coords.accuracy ?? 0 > OdometerRule.countedAccuracyMetres { return }
      var course = Course(record.odometer, gauge.metres, at: told)
      // What the filter has taken from the step that leads here comes yet.
      course.kept = gauge.told?.distanceMetres(to: told) ?? 0
      return gauges[context.device].course = course
    }
    exercised += 1
    course.grow(to: record.odometer, at: told)
    // A step is wrong by the errors of both its ends.
    course.errors += 2 * told.distanceMetres(to: place)
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
