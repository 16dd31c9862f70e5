import Base
import Contract
import Vocabulary

/// A fence of one device: the device's true side, the side that the SDK knows, and the reports that it owes.
struct FenceWatch {
  let truth: TrueFence
  /// The true side; where it is uncertain, the side before.
  private(set) var isInside: Bool
  /// The time since which the device has been inside, or the SDK has known the fence.
  private var insideSince: MonotonicInstant
  /// The side that the SDK reported last, or knows without reporting; nil: unknown.
  private var told: Bool? = false
  /// Whether the store may have failed to save the SDK's state at that report.
  private var isUnsaved: Bool
  /// The difference between wall clock and run time at that report.
  private var clock: Int64 = 0
  private(set) var owed: OwedReport?
  /// Until when the first position may be searched for, after monitoring has begun without an initial trigger.
  private var silentUntil: MonotonicInstant?
  private(set) var stay: FenceStay
  /// The time at which it has replaced another fence of its name.
  private let replacedAt: MonotonicInstant?

  /// The error of cell positions.
  private static let poorMetres = 1_000.0

  /// Nil for a fence without a valid place. The SDK does not know yet that the device is inside.
  init?(_ fence: Geofence, isReplacement: Bool, _ life: TrueLife, at now: MonotonicInstant) {
    guard let truth = TrueFence(fence) else { return nil }
    (self.truth, insideSince, stay) = (truth, now, FenceStay(fence))
    isInside = life.place(at: now).flatMap(truth.isInside) ?? false
    isUnsaved = !life.isSound(since: now)
    replacedAt = isReplacement ? now : nil
  }

  var fence: Geofence { truth.fence }

  // MARK: Monitoring.

  /// Begins monitoring: being inside is reported, unless the configuration forbids it (SDK §15.4). The SDK then knows it only
  /// after the time for a position.
  mutating func begin(_ life: TrueLife, _ context: EventContext) {
    let now = context.now.monotonic
    let triggersInitially = life.configuration?.geolocation.geofenceInitialTriggerEntry ?? true
    silentUntil = triggersInitially ? nil : now + FenceStay.search
    if !isInside {
      beginOutside(life, at: now)
    } else if told == false {
      // At the rim the first position may be outside, which is not reported either.
      let mayBeOutside = life.place(at: now).map(truth.isAtRim) ?? true
      if !triggersInitially, mayBeOutside { told = nil } else { owe(since: now, isSilent: !triggersInitially, life) }
    } else if told == true, stay.isAwaited {
      // The stay began with its report, not when monitoring certainly runs: the delay continues meanwhile (SDK §15.3.4).
      resumeStay(context)
    }
  }

  private mutating func beginOutside(_ life: TrueLife, at now: MonotonicInstant) {
    // After a reported entry, the device left while nothing was monitored, or the exit is still to come because of a position
    // error.
    let mayOweExit = told == true
    // A poor first position may lie inside, which is not reported then.
    let mayBeInside = silentUntil != nil && !(depth(of: life, at: now) < -FenceWatch.poorMetres)
    settle(false, at: now)
    if mayOweExit || mayBeInside { told = nil }
  }

  /// Resumes after a launch: what happened meanwhile is owed now (Geofence 87; SDK §15.4).
  mutating func resume(_ life: TrueLife, _ context: EventContext) {
    let now = context.now.monotonic
    // The process ended before its first position, with which monitoring begins.
    if silentUntil != nil { silentUntil = now + FenceStay.search }
    if told == !isInside {
      owe(since: now, isSilent: isInside && (silentUntil != nil || owed?.isSilent ?? false), life)
    } else {
      owed = nil
    }
    if stay.isAwaited, isInside { resumeStay(context) }
  }

  private mutating func resumeStay(_ context: EventContext) {
    stay.resume(at: context.now.monotonic, setBack: .milliseconds(max(0, clock - context.clockLead)))
  }

  /// Notes that the app is down. What the store may have failed to save is unknown to the next process.
  mutating func suspend(at now: MonotonicInstant) {
    if isUnsaved {
      told = nil
      stay.forgetBeginning()
    }
    if let until = silentUntil, until <= now { silentUntil = nil }
    suspendReport()
    stay.suspend()
  }

  mutating func suspendReport() { owed?.suspend() }

  /// Ends monitoring: nothing is owed.
  mutating func end() {
    owed = nil
    stay.suspend()
  }

  // MARK: The true movement.

  /// Takes the side that the SDK knows where the true one is uncertain: at the rim, positions may show either, and the SDK's side
  /// counts until the device is clearly on the other.
  mutating func leaveOpen(at place: Coordinate) {
    if truth.isInside(place) == nil, let told { isInside = told }
  }

  /// Notes a true crossing.
  mutating func cross(to isInside: Bool, at instant: MonotonicInstant) {
    self.isInside = isInside
    if isInside { insideSince = instant } else { stay.leave() }
  }

  /// Owes the report of a crossing. A visit that was too short to be detected need not be reported.
  mutating func oweCrossing(at instant: MonotonicInstant, _ life: TrueLife) {
    if let owed, isSilent(owed) { told = nil }
    owed = nil
    guard told == !isInside else { return }
    // The first position shows that the device is inside, not that it entered (SDK §15.4).
    let isFirst = silentUntil.map { instant < $0 } ?? false
    owe(since: instant, isSilent: isInside && isFirst, life)
  }

  private mutating func owe(since instant: MonotonicInstant, isSilent: Bool, _ life: TrueLife) {
    owed = OwedReport(isEntry: isInside, since: instant, isSilent: isSilent, in: truth, life)
  }

  // MARK: The SDK's reports.

  /// Notes a reported crossing, which took place at `crossing`.
  mutating func hear(entry isEntry: Bool, since crossing: MonotonicInstant, _ life: TrueLife, _ context: EventContext) {
    let now = context.now.monotonic
    // Timestamps have whole milliseconds.
    if let replacedAt, crossing <= replacedAt + .milliseconds(1) { return forgetSide() }
    // The SDK knew of the unreported entry; at the rim it detects the exit before it is certain.
    if let owed, owed.isEntry != isEntry, isSilent(owed) { self.owed = nil }
    // Without notifyOnExit, a second entry proves that the SDK detected an exit in between.
    if isEntry, told == true, !fence.notifyOnExit {
      told = nil
      stay.leave()
    }
    settle(isEntry, at: now, since: crossing)
    clock = context.clockLead
    isUnsaved = !life.isSound(since: now)
  }

  /// Handles the report of a crossing from before the fence: it may be one of the other fence of its name, which it has replaced,
  /// and the SDK may take it for one of this fence (Geofence 34; SDK §15.3.1).
  private mutating func forgetSide() {
    (told, owed) = (nil, nil)
    stay.leave()
  }

  /// Notes a reported dwell event. Without notifyOnEntry it proves that the SDK has the device inside, perhaps
  /// before that is certain.
  mutating func hearDwell() {
    stay.dwell()
    guard !fence.notifyOnEntry else { return }
    told = true
    if owed?.isEntry == true { owed = nil }
  }

  /// Returns the time before which no dwell event may be reported, if it has not come. Only the wall clock measures a stay across
  /// the end of a process, and it may have been set.
  func dwellsTooEarly(_ context: EventContext) -> MonotonicInstant? {
    guard let earliest = stay.earliest, context.now.monotonic < earliest - FenceStay.search else { return nil }
    return (clock - context.clockLead).magnitude > 30_000 ? nil : earliest
  }

  mutating func putOff(at now: MonotonicInstant) { owed?.putOff(at: now) }

  // MARK: What was not reported.

  /// Returns the report whose deadline has passed before the instant. It is unknown then which side the SDK knows.
  mutating func takeMissed(before instant: MonotonicInstant) -> OwedReport? {
    guard let owed, let due = owed.due, due < instant else { return nil }
    (self.owed, told) = (nil, nil)
    return owed
  }

  mutating func takeMissedDwell(before instant: MonotonicInstant) -> MonotonicInstant? {
    stay.takeMissed(before: instant)
  }

  /// Reports whether the SDK learns of the crossing after a while without having to report it (SDK §15.3.3, §15.4).
  func isSilent(_ owed: OwedReport) -> Bool {
    owed.isSilent || (owed.isEntry ? !fence.notifyOnEntry : !fence.notifyOnExit)
  }

  /// Notes that the SDK has learned of a crossing that it does not report, if it has.
  mutating func settleSilently(_ owed: OwedReport, _ life: TrueLife, _ context: EventContext) {
    // A silent visit begins with a position (SDK §15.4).
    if owed.isSilent, !life.hasHadPlace(since: owed.since) { return }
    clock = context.clockLead
    let since = owed.isEntry ? life.mayBeInside(truth, since: owed.since) : nil
    // The fence may have been selected as late as an event would be due.
    settle(owed.isEntry, at: owed.since + life.choiceDelay, since: since)
    // After a poor first position it is unknown when the stay began (SDK §15.4).
    if owed.isSilent, !(depth(of: life, at: context.now.monotonic) > FenceWatch.poorMetres) {
      stay.suspend()
      stay.forgetBeginning()
    }
  }

  /// Notes the side that the SDK knows since `instant`, or since the crossing. An unreported entry may have been known as long
  /// as it has been true.
  private mutating func settle(
    _ isInside: Bool, at instant: MonotonicInstant, since crossing: MonotonicInstant? = nil
  ) {
    let wasInside = told == true
    told = isInside
    if owed?.isEntry == isInside { owed = nil }
    if !isInside {
      stay.leave()
    } else if !wasInside, fence.notifyOnDwell, self.isInside {
      stay.begin(at: instant, notBefore: crossing ?? min(instant, insideSince))
    }
  }

  /// Returns how far the device is inside its circle, negative outside; NaN where its place is unknown.
  private func depth(of life: TrueLife, at now: MonotonicInstant) -> Double {
    life.place(at: now).map { truth.circle.radiusMetres - truth.circle.center.distanceMetres(to: $0) } ?? .nan
  }
}
