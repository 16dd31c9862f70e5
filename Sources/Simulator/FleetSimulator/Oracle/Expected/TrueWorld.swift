import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// The truth about all devices of a run, from their bodies, their owners and what their apps ask for: what rules compare the
/// SDK's events with.
final class TrueWorld {
  let lives: PerDevice<TrueLife>

  init(in space: DeviceSpace) { lives = PerDevice(TrueLife(), in: space) }

  /// Before the rules look at it.
  func enter(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .moves(let episode): lives[device].move(episode)
    case .asked(let command), .told(.commanded(let command)): obey(command, device, at: now)
    case .configured(let configuration): configure(configuration, device, at: now)
    case .closed:
      lives[device].closedAt = now
      if lives[device].configuration?.app.stopOnTerminate ?? true { want(.off, device, at: now) }
    case .launched(let launch):
      begin(launch, device, at: now)
      lives[device].clockLead = context.clockLead
    case .told(.engine(.enabledChange(false))): endByItself(device, at: now)
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
  }

  /// After they have looked: what comes to an end is judged as it was.
  func leave(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .killed:
      lives[device].runsSince = nil
      // Whether it was its user who ended it, and the SDK stopped with it, only its next start shows.
      if lives[device].closedAt != now, lives[device].configuration?.app.stopOnTerminate ?? true {
        lives[device].asked = nil
      }
    case .healed: lives[device].isHealed = true
    case .told(.engine(.location)), .told(.engine(.motionChange)), .told(.engine(.geofence)):
      if lives[device].toldPlaceAt == nil { lives[device].toldPlaceAt = now }
    default: break
    }
  }

  private func configure(_ configuration: Configuration, _ device: Int, at now: MonotonicInstant) {
    // Its user gives its app the permission that it asks for first; another one is the user's affair.
    if lives[device].configuration == nil {
      lives[device].isWhenInUse = configuration.geolocation.locationAuthorizationRequest == .whenInUse
    }
    // Which word counts, the one that was kept or the one that the app says now, the documents leave open.
    if let launch = lives[device].launch, lives[device].runsSince == now, let kept = lives[device].configuration,
      launch.isRefused(by: kept) != launch.isRefused(by: configuration)
    {
      lives[device].asked = nil
    }
    lives[device].configuration = configuration
  }

  private func begin(_ launch: Launch, _ device: Int, at now: MonotonicInstant) {
    (lives[device].runsSince, lives[device].launch, lives[device].toldPlaceAt) = (now, launch, nil)
    if let configuration = lives[device].configuration, launch.isRefused(by: configuration) {
      lives[device].asked = Expectation(goal: .off, since: now)
    }
  }

  private func obey(_ command: Command, _ device: Int, at now: MonotonicInstant) {
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
    // A device that is started already goes on.
    if lives[device].asked?.goal != goal { lives[device].asked = Expectation(goal: goal, since: now) }
  }

  /// Tracking ends without a word of the app `stopAfterElapsedMinutes` after its start, and with `stopOnStationary` when the
  /// trip ends (GeolocationConfig `stopAfterElapsedMinutes`, ActivityConfig `stopOnStationary`; SDK §19.6). A stop that comes
  /// earlier is none of these.
  private func endByItself(_ device: Int, at now: MonotonicInstant) {
    guard let configuration = lives[device].configuration, let asked = lives[device].asked, asked.goal != .off else {
      return
    }
    let minutes = configuration.geolocation.stopAfterElapsedMinutes
    let isElapsed = minutes > 0 && (now - asked.since).seconds >= 60 * minutes * TrueWorld.clockShare
    if isElapsed || configuration.activity.stopOnStationary { want(.off, device, at: now) }
  }

  /// A clock that goes ahead lets a phone stop so much earlier.
  private static let clockShare = 0.999

  /// Tracking is what it was when the schedule ends, which is not asked for.
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
  /// A start by the system needs the configuration's word (SDK §19.2, §19.4).
  func isRefused(by configuration: Configuration) -> Bool {
    let app = configuration.app
    return isInBackground
      && (app.stopOnTerminate || configuration.platform == .android && didReboot && !app.startOnBoot)
  }
}

/// What is true of one device, whatever its SDK makes of it: where its body is, whether its app runs, what its app asked for.
struct TrueLife {
  /// Nil until it is there.
  var episode: Episode?
  /// What it did before.
  private(set) var previous: Episode?
  var configuration: Configuration?
  /// Its app may use positions while it is in use only.
  var isWhenInUse = false
  /// A command has changed it.
  var isReconfigured = false
  /// What its app, or a command, asked for last; nil when what follows from it is unknown.
  var asked: Expectation? = Expectation(goal: .off, since: MonotonicInstant(nanoseconds: 0))
  /// The schedule says what is to be done, not `asked`.
  var isScheduled = false
  /// What the schedule asks for; kept by the rule of the schedule.
  var scheduled: Expectation?
  /// Nil while the app does not run.
  var runsSince: MonotonicInstant?
  /// How the clock on the wall stood then.
  var clockLead: Int64 = 0
  /// When its process told of a position first.
  var toldPlaceAt: MonotonicInstant?
  /// How it began to run last.
  var launch: Launch?
  /// Its user closed the app then, and has not been heard of since.
  var closedAt: MonotonicInstant?
  /// Faults by which the receiver sees nothing; since when it did so last, and until when.
  var blindings = 0
  var blindSince: MonotonicInstant?
  var blindUntil: MonotonicInstant?
  /// When its odometer was set last, which makes a record.
  var odometerSetAt: MonotonicInstant?
  /// The fences that it knows, whether or not they are watched.
  var fences: [Geofence] = []
  /// Faults by which its store cannot write, and when it could not last.
  var disturbances = 0
  var disturbedAt: MonotonicInstant?
  var isHealed = false

  mutating func move(_ episode: Episode) {
    previous = self.episode
    self.episode = episode
  }

  /// Nil while it is nowhere.
  func place(at instant: MonotonicInstant) -> Coordinate? { episode?.place(at: instant) }

  /// Since when it rests; nil on its way.
  var restsSince: MonotonicInstant? {
    if case .stay(let stay)? = episode { stay.start } else { nil }
  }

  /// What the SDK is to do while its app runs; nil when unknown.
  var expectation: Expectation? {
    guard let runsSince, !isHealed, let wanted = isScheduled ? scheduled : asked else { return nil }
    return Expectation(goal: wanted.goal, since: max(wanted.since, runsSince))
  }

  /// The record of a new odometer is made while tracking is off, too, and is kept in every mode (SDK §7.3.2).
  func mayRecordOdometer(at instant: MonotonicInstant) -> Bool {
    odometerSetAt.map { instant - $0 < .seconds(120) } ?? false
  }

  /// Its queue has worked since a while before then: what cannot be written need not be told.
  func isSound(since instant: MonotonicInstant) -> Bool {
    disturbances == 0 && disturbedAt.map { $0 + .seconds(600) < instant } ?? true
  }

  /// Nor was it in a tunnel, on its way or where it stays.
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

  /// It was in a tunnel all the time.
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

  /// Nothing shows that its process has had a position before now. One of iOS that has had none tells of a crossing with its
  /// first one (SDK §15.3.5).
  func awaitsPlace(at instant: MonotonicInstant) -> Bool {
    configuration?.platform == .ios && toldPlaceAt.map { $0 == instant } ?? true
  }

  /// An app that has had no position since it began can make no record. Only Android hands one over with a crossing.
  func knowsNoPlace(at instant: MonotonicInstant) -> Bool {
    guard configuration?.platform == .ios, let runsSince else { return false }
    if let blindSince, blindSince <= runsSince, !sees(since: instant) { return true }
    // In geofences-only mode it has looked for its place only then.
    if expectation?.goal == .geofences, !sees(since: instant) { return toldPlaceAt == nil }
    return isCovered(from: runsSince, until: instant)
  }

  /// It has more fences than the system watches at once.
  var hasChosenFences: Bool { fences.count > (configuration?.platform == .ios ? 18 : 97) }

  /// On its way it chooses the nearest fences with each position, one `distanceFilter` after the other, which grows with the
  /// speed. Where that leads beyond those within `geofenceProximityRadius`, which are watched, no document says that others
  /// are watched in between (Geofence "Infinite geofencing"; SDK §14.1, §15.2.4).
  var choosesFencesInTime: Bool {
    guard let geolocation = configuration?.geolocation, expectation?.goal == .location else { return true }
    let steps =
      geolocation.disableElasticity ? 0 : max(0, geolocation.elasticityMultiplier) * (Self.topSpeed / 5).rounded()
    return geolocation.distanceFilterMetres * (1 + steps) <= max(1_000, geolocation.geofenceProximityRadiusMetres)
  }

  /// Metres per second, as fast as cars go here.
  static let topSpeed = 40.0

  /// The receiver could give positions all the time since then.
  func sees(since instant: MonotonicInstant) -> Bool { blindings == 0 && blindUntil.map { $0 < instant } ?? true }
}

extension Episode {
  func place(at instant: MonotonicInstant) -> Coordinate {
    switch self {
    case .stay(let stay): stay.place
    case .trip(let trip): trip.place(at: instant)
    }
  }
}

/// What the SDK of a device is to do.
enum TrackingGoal: Equatable, Sendable {
  case off
  case location
  case geofences
}

/// What it is to do, and since when there has been time enough for it.
struct Expectation: Equatable {
  let goal: TrackingGoal
  let since: MonotonicInstant
}
