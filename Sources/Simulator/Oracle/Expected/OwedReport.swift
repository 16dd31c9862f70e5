import Base

/// The report of a crossing that the SDK owes (Geofence `notifyOnEntry`, `notifyOnExit`; SDK §15.3.1, §15.4).
struct OwedReport {
  let isEntry: Bool
  /// The time of the crossing, or that at which monitoring has found the device on the other side.
  let since: MonotonicInstant
  /// Nil while the app is down.
  private(set) var due: MonotonicInstant?
  /// Whether the SDK must know of the crossing without reporting it, as without an initial trigger (SDK §15.4).
  let isSilent: Bool
  private var isPutOff = false

  /// The time until the next circle test, the system's delay, the search for a position, and the same again as reserve.
  private static let patience = Nanoseconds.seconds(90)
  /// High-frequency tests begin with a position, which a receiver may find slowly (SDK §15.5.2).
  private static let polygonPatience = Nanoseconds.seconds(180)
  /// The time until the nearest fences are selected again, when there are more than the system monitors (SDK §15.2.4).
  static let choice = Nanoseconds.seconds(120)

  init(isEntry: Bool, since: MonotonicInstant, isSilent: Bool, in fence: TrueFence, _ life: TrueLife) {
    (self.isEntry, self.since, self.isSilent) = (isEntry, since, isSilent)
    let patience = fence.isPolygon ? OwedReport.polygonPatience : OwedReport.patience
    due = since + patience + life.choiceDelay
  }

  mutating func suspend() { due = nil }

  /// Extends the deadline once: the system reported a crossing that the SDK did not confirm, which leaves it time to find out
  /// (SDK §15.3.2).
  mutating func putOff(at now: MonotonicInstant) {
    guard let due, !isPutOff else { return }
    (self.due, isPutOff) = (max(due, now + OwedReport.patience), true)
  }
}
