import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I17: a position of the stream that is less accurate than `odometerAccuracyThreshold` does not advance the odometer (LocationEvent
/// `odometer`; SDK §2.2, §17.1).
final class OdometerThresholdRule: Rule {
  override class var invariant: Invariant { .odometerTolerance }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no position was too poor to count" }

  private struct Phone {
    /// The greatest accuracy that counts; nil where there is no stream.
    var threshold: Double?
    /// The odometer of the last record, if nothing but the stream has come since.
    var odometer: Double?
    var isTold = false
  }

  private let phones: PerDevice<Phone>

  /// Records contain two decimals.
  private static let rounding = 0.011

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .told(.engine(.location(let record))) where !record.isSample: judge(record, context)
    case .configured(let configuration):
      let geolocation = configuration.geolocation
      phones[device].threshold =
        geolocation.useSignificantChangesOnly ? nil : geolocation.filter.odometerAccuracyThresholdMetres
      phones[device].odometer = nil
    // Their positions may count, as may those that are rejected.
    case .told(.engine(.motionChange)), .told(.engine(.geofence)), .told(.engine(.locationFilter)),
      .told(.engine(.enabledChange)), .told(.engine(.schedule)), .told(.engine(.heartbeat)), .told(.commanded), .asked,
      .killed, .launched, .healed, .faultBegan, .faultEnded:
      phones[device].odometer = nil
    default: break
    }
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let (device, phone) = (context.device, phones[context.device])
    let isOfStream =
      record.event == nil && record.isMoving && !ledger.truth.lives[device].mayRecordOdometer(at: context.now.monotonic)
    phones[device].odometer = isOfStream ? record.odometer : nil
    guard isOfStream, let before = phone.odometer, let threshold = phone.threshold, !phone.isTold,
      let accuracy = record.coords.accuracy, accuracy > threshold + OdometerThresholdRule.rounding
    else { return }
    exercised += 1
    guard record.odometer > before + OdometerThresholdRule.rounding else { return }
    phones[device].isTold = true
    let metres = (accuracy * 10).rounded() / 10
    flag(
      context, record.uuid,
      "the odometer grows with a position whose accuracy is \(metres) m, and odometerAccuracyThreshold is \(threshold) m"
    )
  }
}
