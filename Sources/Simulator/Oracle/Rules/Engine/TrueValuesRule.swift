import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I27: a record contains the place, the speed, the heading and the altitude of the device at the time of its position, its
/// age, the accuracy of the receiver, and the state of the battery (LocationEvent `coords`, `timestamp`, `age`, `battery`;
/// SDK §5.1). A position may be as old as the process. One of the stream that is less accurate than the threshold is no
/// record (SDK §14.2.1).
final class TrueValuesRule: Rule {
  override class var invariant: Invariant { .recording }
  override class var interest: Interest { [.location, .life, .truth, .course] }
  override class var absence: String { "no position was recorded" }

  private struct Phone {
    /// Nil before the first event.
    var clock: SteadyClock?
    /// The latest time that the clock showed before it was set, in milliseconds since 1970: a position of that time may come later.
    var shown = Int64.min
    /// The time until which the positions of the receiver were far from the body.
    var strayedUntil = MonotonicInstant(nanoseconds: -1)
    /// The accuracy of its last position, if that was poor; 0 otherwise.
    var poorMetres = 0.0
    /// The state of the battery, and the time of its last change.
    var battery: (state: Battery, since: MonotonicInstant)?
    /// The least accuracy of a position of the stream, and since when.
    var threshold: (metres: Double, since: MonotonicInstant)?
    /// The number of records of trips in a row whose places have few digits.
    var rounded = 0
    var isTold = false
  }

  private let phones: PerDevice<Phone>

  /// Twice the error from which on a position of the receiver is known to be far.
  private static let nearMetres = 200.0
  /// Far more than the error of a measured speed, in metres per second and as a share of the speed.
  private static let speedError = (least: 3.0, share: 0.3)
  /// The accuracy of positions from networks.
  private static let networkMetres = 20.0
  /// Positions are recorded as they come.
  private static let patience = Nanoseconds.seconds(60)
  /// Records contain two decimals.
  private static let rounding = 0.01
  /// More than the error of a course at the speed from which on it is judged, in metres per second.
  private static let course = (speed: 5.0, error: 90.0, factor: 6.0, bend: 30.0)
  private static let straight = Nanoseconds.seconds(2)
  /// Five decimals, of at least seven.
  private static let digits = 1e5
  private static let roundedMost = 6
  /// More than the error of an altitude, and in errors of the receiver.
  private static let altitudeError = (least: 60.0, factor: 6.0)

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if phones[device].clock?.isSet(context) ?? true {
      if let clock = phones[device].clock { phones[device].shown = max(phones[device].shown, clock.shown(at: now)) }
      phones[device].clock = SteadyClock(context)
    }
    switch event {
    case .strayed(let metres, let accuracyMetres):
      phones[device].strayedUntil = metres > 0 ? .never : now
      phones[device].poorMetres = accuracyMetres
    case .charged(let battery): phones[device].battery = (battery, now)
    case .configured(let configuration):
      phones[device].threshold = (configuration.geolocation.filter.trackingAccuracyThresholdMetres, now)
    // A fault may set the clock and set it back, and a device may leave and return elsewhere.
    case .faultBegan, .faultEnded, .launched, .asked: phones[device].clock?.restart(at: now)
    case .told(.engine(.location(let record))) where !record.isSample && !phones[device].isTold: judge(record, context)
    default: break
    }
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    guard !ledger.truth.lives[context.device].isHealed else { return }
    exercised += 1
    guard let fault = fault(of: record, context) ?? roundingFault(of: record, context.device) else { return }
    phones[context.device].isTold = true
    flag(context, record.uuid, "a record says \(fault)")
  }

  /// Returns what a record says and is not true; nil where all may be.
  private func fault(of record: LocationRecord, _ context: EventContext) -> String? {
    let (device, now, wall) = (context.device, context.now.monotonic, context.now.wall)
    let phone = phones[device]
    guard let steadySince = phone.clock?.since else { return nil }
    if let battery = phone.battery, battery.since < now, battery.state != record.battery {
      return "battery \(record.battery.words), which is \(battery.state.words)"
    }
    let age = wall.milliseconds(since: record.timestamp)
    if age > TrueValuesRule.patience.wholeMilliseconds, steadySince < now - TrueValuesRule.patience,
      isOfStream(record, of: device, at: now)
    {
      return "\(record.timestamp.iso8601Text) of the position that comes at \(wall.iso8601Text)"
    }
    if let fault = streamFault(of: record, context) { return fault }
    guard age >= 0, age < now.nanoseconds / 1_000_000 else { return nil }
    let instant = now - .milliseconds(age)
    guard steadySince < instant, record.timestamp.millisecondsSince1970 > phone.shown,
      phone.strayedUntil <= instant, let place = record.coords.place
    else {
      return nil
    }
    if let metres = metres(from: place, of: device, at: instant), metres > TrueValuesRule.nearMetres {
      return "a place \(Int(metres)) m from the device at \(record.timestamp.iso8601Text)"
    }
    if let speed = record.coords.speed, let error = speedError(speed, of: device, at: instant) {
      return "\(speed.inTenths) m/s, which are \((speed - error).inTenths) m/s"
    }
    if let fault = directionFault(of: record, context.device, at: instant) { return fault }
    guard age == 0, phone.poorMetres > 0, let accuracy = record.coords.accuracy,
      abs(accuracy - phone.poorMetres) > TrueValuesRule.rounding, accuracy != TrueValuesRule.networkMetres
    else { return nil }
    return "an accuracy of \(accuracy.inTenths) m, which is \(phone.poorMetres.inTenths) m"
  }

  /// Returns what a record says where it is one of several in a row whose places are rounded: a receiver gives more digits, and the
  /// SDK keeps them (SDK §5.1).
  private func roundingFault(of record: LocationRecord, _ device: Int) -> String? {
    guard record.isMoving, record.event == nil, record.coords.accuracy != Self.networkMetres else { return nil }
    let isRounded = Self.isRounded(record.coords.latitude) && Self.isRounded(record.coords.longitude)
    phones[device].rounded = isRounded ? phones[device].rounded + 1 : 0
    guard phones[device].rounded == Self.roundedMost else { return nil }
    return
      "\(record.coords.latitude), \(record.coords.longitude), the last of \(Self.roundedMost) places in a row with few digits"
  }

  private static func isRounded(_ degrees: Double) -> Bool { (degrees * digits).rounded() / digits == degrees }

  /// Returns what a record of the stream says and cannot be: the SDK gets its position when it makes it (LocationEvent 82).
  private func streamFault(of record: LocationRecord, _ context: EventContext) -> String? {
    let (device, now) = (context.device, context.now.monotonic)
    guard isOfStream(record, of: device, at: now) else { return nil }
    let age = context.now.wall.milliseconds(since: record.timestamp)
    if let said = record.ageMilliseconds, (said - age).magnitude > SteadyClock.tick {
      return "an age of \(said) ms, which is \(age) ms"
    }
    if ledger.truth.lives[device].episode != nil, let quantity = missingQuantity(in: record.coords) {
      return "no \(quantity), which the receiver has measured"
    }
    if let accuracy = record.coords.accuracy, let threshold = phones[device].threshold, threshold.since < now,
      ledger.truth.lives[device].disturbedAt == nil,
      accuracy > threshold.metres + TrueValuesRule.rounding
    {
      return "an accuracy of \(accuracy.inTenths) m, and trackingAccuracyThreshold is \(threshold.metres.inTenths) m"
    }
    return nil
  }

  /// Returns a quantity that a receiver measures with each position, and that the record says is unknown. Positions from networks
  /// have an accuracy only, and a slow receiver knows no heading (SDK §5.1).
  private func missingQuantity(in coords: Coordinates) -> String? {
    if coords.accuracy == nil { return "accuracy" }
    if coords.accuracy == TrueValuesRule.networkMetres { return nil }
    if coords.speed == nil { return "speed" }
    if coords.speedAccuracy == nil { return "speed_accuracy" }
    if coords.altitudeAccuracy == nil { return "altitude_accuracy" }
    return coords.heading != nil && coords.headingAccuracy == nil ? "heading_accuracy" : nil
  }

  /// Returns what a record says of the course or the height of the device and is not true.
  private func directionFault(of record: LocationRecord, _ device: Int, at instant: MonotonicInstant) -> String? {
    guard let episode = ledger.truth.lives[device].episode(of: instant), record.coords.accuracy != Self.networkMetres
    else {
      return nil
    }
    if let error = record.coords.altitudeAccuracy, let altitude = record.coords.altitude {
      let truth = Terrain.metres(at: episode.place(at: instant))
      if abs(altitude - truth) > Self.altitudeError.least + Self.altitudeError.factor * error {
        return "an altitude of \(altitude.inTenths) m, which is \(truth.inTenths) m"
      }
    }
    guard let heading = record.coords.heading, heading >= 0, let error = record.coords.headingAccuracy else {
      return nil
    }
    guard let course = episode.headingDegrees(at: instant),
      Self.turn(from: course, to: heading) > Self.course.error + Self.course.factor * error
    else { return nil }
    let isStraight = [instant - Self.straight, instant, instant + Self.straight].allSatisfy { instant in
      guard let other = episode.headingDegrees(at: instant) else { return false }
      return episode.speed(at: instant) > Self.course.speed && Self.turn(from: course, to: other) < Self.course.bend
    }
    return isStraight ? "a heading of \(heading.inTenths), which is \(course.inTenths)" : nil
  }

  private static func turn(from course: Double, to other: Double) -> Double {
    let degrees = abs(course - other).truncatingRemainder(dividingBy: 360)
    return min(degrees, 360 - degrees)
  }

  /// Reports whether the record is of the stream on a trip, whose positions are recorded as they come (SDK §14.2).
  private func isOfStream(_ record: LocationRecord, of device: Int, at now: MonotonicInstant) -> Bool {
    let life = ledger.truth.lives[device]
    return record.event == nil && record.isMoving && !life.mayRecordOdometer(at: now)
      && life.configuration?.geolocation.useSignificantChangesOnly == false
  }

  /// Returns the distance of the body from a place; nil where the body of that time is forgotten. A route that begins again
  /// elsewhere moves its body at once, perhaps within the millisecond of the timestamp.
  private func metres(from place: Coordinate, of device: Int, at instant: MonotonicInstant) -> Double? {
    least(of: device, at: instant, enough: TrueValuesRule.nearMetres) { episode, instant in
      episode.place(at: instant).distanceMetres(to: place)
    }
  }

  /// Returns the error of a speed, if it is more than a receiver's. A body of a recorded route changes its speed at once.
  private func speedError(_ speed: Double, of device: Int, at instant: MonotonicInstant) -> Double? {
    let error = least(of: device, at: instant, enough: 0) { episode, instant in
      let truth = episode.speed(at: instant)
      let error = speed - truth
      let isSmall = abs(error) <= TrueValuesRule.speedError.least + TrueValuesRule.speedError.share * truth
      return isSmall ? 0 : error
    }
    return error == 0 ? nil : error
  }

  /// Returns the least value at an instant or within a tick of the clock, in magnitude; nil where an episode is forgotten.
  private func least(
    of device: Int, at instant: MonotonicInstant, enough: Double, _ value: (Episode, MonotonicInstant) -> Double
  ) -> Double? {
    let life = ledger.truth.lives[device]
    var least = Double.infinity
    let tick = Int64(SteadyClock.tick)
    for ticks in [0, -tick, tick] {
      let instant = instant + .milliseconds(ticks)
      guard let episode = life.episode(of: instant) else { return nil }
      let found = value(episode, instant)
      if found.magnitude < least.magnitude { least = found }
      if least.magnitude <= enough { return least }
    }
    return least
  }
}

extension Battery {
  fileprivate var words: String {
    "\(level.map { "\(Int(($0 * 100).rounded())) %" } ?? "unknown")\(isCharging ? ", charging" : "")"
  }
}

extension Double {
  fileprivate var inTenths: Double { (self * 10).rounded() / 10 }
}
