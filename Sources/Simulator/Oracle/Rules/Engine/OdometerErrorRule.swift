import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I17: with a step of the stream the error of the odometer grows by the accuracies of both its ends, as the root of the sum of the
/// squares (SDK §17.4), and a command that sets the odometer sets the error to 0 (LocationEvent `odometerError`; SDK §17.6).
final class OdometerErrorRule: Rule {
  override class var invariant: Invariant { .odometerTolerance }
  override class var interest: Interest { [.location, .motionChange, .event, .life, .course] }
  override class var absence: String { "no two positions of a stream counted" }

  private struct Phone {
    /// The odometer, its error and the accuracy of the last record, if it is of the stream and nothing but the stream has come since.
    var last: (metres: Double, error: Double, accuracy: Double)?
    /// The greatest accuracy that counts; nil where there is no stream.
    var threshold: Double?
    /// The error of the last record.
    var error = 0.0
    /// The value that a command has set, the error before, and the time.
    var set: (metres: Double, error: Double, at: MonotonicInstant)?
    var isTold = false
  }

  private let phones: PerDevice<Phone>

  /// Records contain two decimals.
  private static let rounding = 0.011
  /// The time in which the record of a command is certain to be its own.
  private static let search = Nanoseconds.seconds(60)

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .told(.engine(.location(let record))) where !record.isSample: hear(record, context)
    case .configured(let configuration):
      let geolocation = configuration.geolocation
      phones[device].threshold =
        geolocation.useSignificantChangesOnly ? nil : geolocation.filter.odometerAccuracyThresholdMetres
      phones[device].last = nil
    case .told(.commanded(.setOdometer(let metres))): set(to: metres, context)
    case .told(.commanded(.resetOdometer)): set(to: 0, context)
    case .asked, .killed, .launched, .healed: (phones[device].last, phones[device].set) = (nil, nil)
    case .told(.engine), .told(.commanded), .faultBegan, .faultEnded: phones[device].last = nil
    default: break
    }
  }

  private func set(to metres: Double, _ context: EventContext) {
    let phone = phones[context.device]
    phones[context.device].last = nil
    // The record of an earlier command may still come.
    phones[context.device].set = phone.set == nil ? (metres, phone.error, context.now.monotonic) : nil
  }

  private func hear(_ record: LocationRecord, _ context: EventContext) {
    let device = context.device
    guard let error = record.odometerError, let accuracy = record.coords.accuracy else {
      return phones[device].last = nil
    }
    let phone = phones[device]
    phones[device].error = error
    if let set = phone.set { judge(record, error, after: set, context) }
    guard let threshold = phone.threshold, record.event == nil, record.isMoving, accuracy >= 0, accuracy <= threshold,
      !ledger.truth.lives[device].mayRecordOdometer(at: context.now.monotonic)
    else { return phones[device].last = nil }
    phones[device].last = (record.odometer, error, accuracy)
    // The observed behaviour measures from other positions, too (SDK §17.8).
    guard let last = phone.last, record.odometer > last.metres, !phone.isTold,
      ledger.behaviours[ledger.homes[device].fleet] == .documented
    else { return }
    exercised += 1
    let squares = last.error * last.error + last.accuracy * last.accuracy + accuracy * accuracy
    let expected = squares.squareRoot()
    guard abs(error - expected) > OdometerErrorRule.rounding + expected * 1e-9 else { return }
    phones[device].isTold = true
    flag(
      context, record.uuid,
      "odometer_error grows from \(last.error.inHundredths) m to \(error.inHundredths) m, and is \(expected.inHundredths) m with the accuracies of the step"
    )
  }

  /// Positions that come after the command add to the error, at most one for each second.
  private func judge(
    _ record: LocationRecord, _ error: Double, after set: (metres: Double, error: Double, at: MonotonicInstant),
    _ context: EventContext
  ) {
    let device = context.device
    let passed = context.now.monotonic - set.at
    guard passed < OdometerErrorRule.search else { return phones[device].set = nil }
    guard record.event == nil, abs(record.odometer - set.metres) < OdometerErrorRule.rounding else { return }
    phones[device].set = nil
    exercised += 1
    let threshold = phones[device].threshold ?? 0
    let most = 2 * threshold * threshold * (passed.seconds + 2)
    guard set.error * set.error > most, error >= set.error else { return }
    flag(context, record.uuid, "odometer_error is \(error.inHundredths) m where a command has set the odometer")
  }
}

extension Double {
  fileprivate var inHundredths: Double { (self * 100).rounded() / 100 }
}
