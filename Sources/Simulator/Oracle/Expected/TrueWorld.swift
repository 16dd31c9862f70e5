import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// The truth about all devices of a run, from their bodies, their users and the calls of their apps; rules compare the
/// SDK's events with it.
final class TrueWorld {
  let lives: PerDevice<TrueLife>

  init(in space: DeviceSpace) { lives = PerDevice(TrueLife(), in: space) }

  /// Enters an event before the rules receive it.
  func enter(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .moves(let episode): lives[device].move(episode)
    case .strayed(let metres, let accuracyMetres):
      lives[device].errors.note(metres, at: now)
      lives[device].locate(within: accuracyMetres, at: now)
    case .asked(let command), .told(.commanded(let command)): execute(command, device, at: now)
    case .configured(let configuration): configure(configuration, device, at: now)
    case .closed:
      lives[device].closedAt = now
      if lives[device].configuration?.app.stopOnTerminate ?? true { want(.off, device, at: now) }
    case .launched(let launch):
      begin(launch, device, at: now)
      lives[device].clockLead = context.clockLead
    case .told(.engine(.enabledChange(false))): endByItself(device, at: now)
    case .askedToSync: lives[device].syncedAt = now
    case .queue(.refused): lives[device].disturbedAt = now
    case .faultBegan(let occurrence): begin(occurrence, device, at: now)
    case .faultEnded(let occurrence): end(occurrence, device, at: now)
    default: break
    }
  }

  private func begin(_ fault: FaultOccurrence, _ device: Int, at now: MonotonicInstant) {
    if fault.effects.contains(.hidesPositions) {
      if lives[device].blindings == 0 { lives[device].blindSince = now }
      lives[device].blindings += 1
    }
    if fault.effects.contains(.disturbsStore) { lives[device].disturbances += 1 }
  }

  private func end(_ fault: FaultOccurrence, _ device: Int, at now: MonotonicInstant) {
    if fault.effects.contains(.hidesPositions) {
      lives[device].blindings -= 1
      lives[device].blindUntil = now
    }
    if fault.effects.contains(.disturbsStore) {
      lives[device].disturbances -= 1
      lives[device].disturbedAt = now
    }
    if fault.effects.contains(.addsRecord) { lives[device].poison(at: now) }
  }

  /// Enters an event after the rules have received it, so that what it ends is judged by the state before.
  func leave(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .killed:
      lives[device].runsSince = nil
      // Only the next start shows whether the user ended the app and thereby stopped the SDK.
      if lives[device].closedAt != now, lives[device].configuration?.app.stopOnTerminate ?? true {
        lives[device].asked = nil
      }
    case .healed: lives[device].isHealed = true
    case .queue(.inserted), .queue(.refused(_, .insertion)): lives[device].takePoison()
    case .told(.engine(.location)), .told(.engine(.motionChange)), .told(.engine(.geofence)):
      if lives[device].toldPlaceAt == nil { lives[device].toldPlaceAt = now }
    default: break
    }
  }

  private func configure(_ configuration: Configuration, _ device: Int, at now: MonotonicInstant) {
    // The user grants the first permission that the app requests; later ones are the user's decision.
    if lives[device].configuration == nil {
      lives[device].isWhenInUse = configuration.geolocation.locationAuthorizationRequest == .whenInUse
    }
    // The documents do not say which configuration counts, the saved one or the one that the app passes now.
    if let launch = lives[device].launch, lives[device].runsSince == now, let kept = lives[device].configuration,
      launch.isRefused(by: kept) != launch.isRefused(by: configuration)
    {
      lives[device].asked = nil
    }
    // An empty schedule ends the one that is on (SDK §16.3.7).
    if configuration.app.schedule.isEmpty, lives[device].isScheduled { schedule(false, device) }
    lives[device].configuration = configuration
  }

  private func begin(_ launch: Launch, _ device: Int, at now: MonotonicInstant) {
    (lives[device].runsSince, lives[device].launch, lives[device].toldPlaceAt) = (now, launch, nil)
    if let configuration = lives[device].configuration, launch.isRefused(by: configuration) {
      lives[device].asked = Expectation(goal: .off, since: now)
    }
  }

  private func execute(_ command: Command, _ device: Int, at now: MonotonicInstant) {
    switch command {
    case .start: want(.location, device, at: now)
    case .startGeofences: want(.geofences, device, at: now)
    case .stop: want(.off, device, at: now)
    case .startSchedule: schedule(true, device)
    case .stopSchedule: schedule(false, device)
    case .addGeofence(let fence): add(fence, device)
    case .addGeofences(let fences): for fence in fences { add(fence, device) }
    case .removeGeofence(let identifier): lives[device].fences.removeAll { $0.identifier == identifier }
    case .removeGeofences(let identifiers):
      lives[device].fences.removeAll { identifiers?.contains($0.identifier) ?? true }
    case .setConfig: lives[device].isReconfigured = true
    case .setOdometer, .resetOdometer: lives[device].odometerSetAt = now
    case .changePace, .uploadLog, .destroyLog, .ban: break
    }
  }

  private func want(_ goal: TrackingGoal, _ device: Int, at now: MonotonicInstant) {
    // Starting a started device changes nothing.
    if lives[device].asked?.goal != goal { lives[device].asked = Expectation(goal: goal, since: now) }
  }

  /// Notes a stop that the app did not request: `stopAfterElapsedMinutes` after the start, or at the end of a trip with
  /// `stopOnStationary` (GeolocationConfig `stopAfterElapsedMinutes`, ActivityConfig `stopOnStationary`; SDK §19.6). An
  /// earlier stop is neither of these.
  private func endByItself(_ device: Int, at now: MonotonicInstant) {
    guard let configuration = lives[device].configuration, let asked = lives[device].asked, asked.goal != .off else {
      return
    }
    let minutes = configuration.geolocation.stopAfterElapsedMinutes
    let isElapsed = minutes > 0 && (now - asked.since).seconds >= 60 * minutes * TrueWorld.clockShare
    if isElapsed || configuration.activity.stopOnStationary { want(.off, device, at: now) }
  }

  /// A phone whose clock runs fast stops so much earlier.
  static let clockShare = 0.999

  /// Notes the start or end of the schedule. Tracking remains as it was when the schedule ends, and was not requested by the app.
  private func schedule(_ isOn: Bool, _ device: Int) {
    if lives[device].isScheduled && !isOn { lives[device].asked = nil }
    lives[device].isScheduled = isOn
    lives[device].scheduled = nil
  }

  private func add(_ fence: Geofence, _ device: Int) {
    lives[device].fences.removeAll { $0.identifier == fence.identifier }
    lives[device].fences.append(fence)
  }
}

extension Launch {
  /// Reports whether the configuration forbids this start by the system (SDK §19.2, §19.4).
  func isRefused(by configuration: Configuration) -> Bool {
    let app = configuration.app
    return isInBackground
      && (app.stopOnTerminate || configuration.platform == .android && didReboot && !app.startOnBoot)
  }
}

/// The truth about one device, whatever its SDK reports: where its body is, whether its app runs, what its app requested.
struct TrueLife {
  /// The current episode of its body; nil before its first presence.
  var episode: Episode?
  /// The episode before.
  private(set) var previous: Episode?
  var configuration: Configuration?
  /// Whether its app may use positions only while it is in use.
  var isWhenInUse = false
  /// Whether a command has changed the configuration.
  var isReconfigured = false
  /// The last task requested by its app or by a command; nil when the consequence is unknown.
  var asked: Expectation? = Expectation(goal: .off, since: MonotonicInstant(nanoseconds: 0))
  /// Whether the schedule determines the task, not `asked`.
  var isScheduled = false
  /// The task of the schedule, maintained by `ScheduleRule`.
  var scheduled: Expectation?
  /// The time since which the app runs; nil while it does not.
  var runsSince: MonotonicInstant?
  /// The lead of the wall clock at that time.
  var clockLead: Int64 = 0
  /// The time of the first position that this process reported.
  var toldPlaceAt: MonotonicInstant?
  /// The last launch.
  var launch: Launch?
  /// The time at which the user closed the app, if nothing has happened since.
  var closedAt: MonotonicInstant?
  /// The time at which its app last called `sync()`.
  var syncedAt: MonotonicInstant?
  /// The time since which the receiver's positions are accurate enough for the configuration; nil while they are not.
  private(set) var locatedSince: MonotonicInstant? = MonotonicInstant(nanoseconds: 0)
  /// The errors of the receiver's positions.
  var errors = PositionErrors()
  /// The number of active faults that blind the receiver; the start and the end of its last blindness.
  var blindings = 0
  var blindSince: MonotonicInstant?
  var blindUntil: MonotonicInstant?
  /// The time at which its odometer was last set, which makes a record.
  var odometerSetAt: MonotonicInstant?
  /// The fences that it knows, monitored or not.
  var fences: [Geofence] = []
  /// The number of active faults of its store, and the time of the last failure.
  var disturbances = 0
  var disturbedAt: MonotonicInstant?
  var isHealed = false
  /// The number of records that faults have added at an instant and that are not in the queue yet.
  private var poisons = (count: 0, at: MonotonicInstant.never)

  mutating func move(_ episode: Episode) {
    previous = self.episode
    self.episode = episode
  }

  /// Notes the accuracy of the receiver's positions.
  mutating func locate(within accuracyMetres: Double, at instant: MonotonicInstant) {
    let threshold = configuration?.geolocation.filter.trackingAccuracyThresholdMetres ?? 0
    locatedSince = accuracyMetres > threshold ? nil : locatedSince ?? instant
  }

  /// Notes a record that a fault of the run adds, which enters the queue in the same instant.
  mutating func poison(at instant: MonotonicInstant) {
    poisons = (poisons.at == instant ? poisons.count + 1 : 1, instant)
  }

  mutating func takePoison() { if poisons.count > 0 { poisons.count -= 1 } }

  /// Reports whether the next record comes from a fault of the run, and not from a position.
  func isPoisoned(at instant: MonotonicInstant) -> Bool { poisons.count > 0 && poisons.at == instant }

  /// Returns the place of its body; nil before its first presence.
  func place(at instant: MonotonicInstant) -> Coordinate? { episode?.place(at: instant) }

  /// Returns the place of its body in its last two episodes.
  func earlierPlace(at instant: MonotonicInstant) -> Coordinate? {
    guard let episode else { return nil }
    return (instant < episode.start ? previous ?? episode : episode).place(at: instant)
  }

  /// Returns the one of its last two episodes that the instant belongs to; nil for an earlier instant.
  func episode(of instant: MonotonicInstant) -> Episode? {
    if let episode, episode.start <= instant { return episode }
    return previous.flatMap { $0.start <= instant ? $0 : nil }
  }

  /// Whether it follows significant changes only, in Android's mode of its own (SDK §12.7).
  var followsSignificantChanges: Bool {
    configuration.map { $0.platform == .android && $0.geolocation.useSignificantChangesOnly } ?? false
  }

  /// Reports whether one of its last two episodes began then.
  func setOut(at instant: MonotonicInstant) -> Bool { [episode, previous].contains { $0?.start == instant } }

  /// The time since which it rests; nil on a trip.
  var restsSince: MonotonicInstant? {
    if case .stay(let stay)? = episode { stay.start } else { nil }
  }

  /// The SDK's task while its app runs; nil when unknown.
  var expectation: Expectation? {
    guard let runsSince, !isHealed, let wanted = isScheduled ? scheduled : asked else { return nil }
    return Expectation(goal: wanted.goal, since: max(wanted.since, runsSince))
  }

  /// Reports whether the record of a changed odometer may occur, which is made while tracking is off, too, and is kept in
  /// every mode (SDK §7.3.2).
  func mayRecordOdometer(at instant: MonotonicInstant) -> Bool {
    odometerSetAt.map { instant - $0 < .seconds(120) } ?? false
  }

  /// Whether its queue has always worked, so that nothing of its state is lost.
  var isUndisturbed: Bool { disturbances == 0 && disturbedAt == nil }

  /// Reports whether its queue has worked since a while before the instant: a record that cannot be written need not be reported.
  func isSound(since instant: MonotonicInstant) -> Bool {
    disturbances == 0 && disturbedAt.map { $0 + .seconds(600) < instant } ?? true
  }

  /// Reports whether the receiver worked since then and the body was not in a tunnel, on a trip or at rest.
  func seesSky(since instant: MonotonicInstant) -> Bool {
    guard sees(since: instant) else { return false }
    return [episode, previous].allSatisfy { episode in
      switch episode {
      case .trip(let trip): trip.covers.allSatisfy { $0.kind != .tunnel || $0.end < instant }
      case .stay(let stay): stay.cover != .tunnel || stay.end.map { $0 < instant } ?? false
      case nil: true
      }
    }
  }

  /// Reports whether it was in a tunnel for the whole time.
  private func isCovered(from start: MonotonicInstant, until end: MonotonicInstant) -> Bool {
    var reached = start
    for case let episode? in [previous, episode] {
      switch episode {
      case .stay(let stay): if stay.cover == .tunnel && stay.start <= reached { reached = stay.end ?? .never }
      case .trip(let trip):
        for cover in trip.covers where cover.kind == .tunnel && cover.start <= reached {
          reached = max(reached, cover.end)
        }
      }
    }
    return start < reached && end <= reached
  }

  /// Reports whether the process may have had no position so far. On iOS such a process reports a crossing with its first
  /// position (SDK §15.3.5).
  func awaitsPlace(at instant: MonotonicInstant) -> Bool {
    configuration?.platform == .ios && toldPlaceAt.map { $0 == instant } ?? true
  }

  /// The search for the first position takes as long.
  private static let firstSearch = Nanoseconds.seconds(45)

  /// Reports whether the app may have had no position since it began, or since it began to track, without which it can make no
  /// record.
  func knowsNoPlace(at instant: MonotonicInstant) -> Bool {
    guard let runsSince else { return false }
    let search = toldPlaceAt == nil ? TrueLife.firstSearch : .zero
    let tracksSince = toldPlaceAt == nil ? expectation?.since : nil
    if let blindSince, blindSince <= (tracksSince ?? runsSince) + search, !sees(since: instant) { return true }
    // In geofences-only mode it has searched for a position only at that time.
    if expectation?.goal == .geofences, !sees(since: instant) { return toldPlaceAt == nil }
    return isCovered(from: runsSince, until: instant)
  }

  /// Reports whether it may have no position for the record of a crossing, with which Android supplies one.
  func lacksPlaceOfCrossing(at instant: MonotonicInstant) -> Bool {
    configuration?.platform == .ios && knowsNoPlace(at: instant)
  }

  /// Reports whether the receiver has worked all the time since then.
  func sees(since instant: MonotonicInstant) -> Bool { blindings == 0 && blindUntil.map { $0 < instant } ?? true }
}

/// The task of a device's SDK.
enum TrackingGoal: Equatable, Sendable {
  case off
  case location
  case geofences
}

/// A task, and the time from which it can be expected.
struct Expectation: Equatable {
  let goal: TrackingGoal
  let since: MonotonicInstant
}
