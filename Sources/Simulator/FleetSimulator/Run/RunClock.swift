import Base

/// The devices' clock over the machine's: `factor` seconds of theirs for each second of the machine.
struct RunClock {
  private let machine = SystemClock()
  private var machineStart: MonotonicInstant
  private var deviceStart: MonotonicInstant
  private(set) var factor: Double

  /// Goes on from `instant` of the devices, now.
  init(factor: Double, from instant: MonotonicInstant) {
    machineStart = machine.monotonicNow
    deviceStart = instant
    self.factor = factor
  }

  var now: MonotonicInstant {
    deviceStart + Nanoseconds(Int64(Double((machine.monotonicNow - machineStart).count) * factor))
  }

  /// When the machine's clock shows what the devices' will show then.
  func machineInstant(of instant: MonotonicInstant) -> MonotonicInstant {
    machineStart + Nanoseconds(Int64((Double((instant - deviceStart).count) / factor).rounded(.up)))
  }

  /// A span of the devices' time on the machine's clock.
  func machineSpan(of span: Nanoseconds) -> Nanoseconds { Nanoseconds(Int64(Double(span.count) / factor)) }
}
