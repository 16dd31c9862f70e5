import Base
package import Contract
import Vocabulary

extension ProviderState {
  /// Why a phone in this state has no positions for the app; nil when it has (SDK §19.5). A user who was not asked
  /// yet has allowed nothing.
  package var denial: LocationError? {
    if !isEnabled { return .servicesDisabled }
    return switch authorizationStatus {
    case 0, 1, 2, 5: .permissionDenied
    default: nil
    }
  }
}

/// What the engine has been told of the phone and of the app on it.
struct PhoneFacts: Sendable {
  /// Until the sensors that are asked for activities have reported one.
  static let noActivity = Activity(.unknown, confidence: 0)

  var activity = PhoneFacts.noActivity
  var battery = Battery(level: nil, isCharging: false)
  var provider: ProviderState?
  var connectivity = Connectivity.none
  var isPowerSaving = false
  var zone: ZoneRules
  var isInBackground = false
  var isScreenOn = true
  /// When the app went to the background, the screen changed or the device moved last: the throttle of heartbeats goes
  /// by it.
  private var lastStir = MonotonicInstant(nanoseconds: 0)

  init(in zone: ZoneRules) { self.zone = zone }

  mutating func begin(_ launch: Launch, at now: Moment) {
    isInBackground = launch.isInBackground
    lastStir = now.monotonic
  }

  /// Before timers are looked at: a sign of life lets the beat go that was held back.
  mutating func noticeStir(_ input: EngineInput, at now: Moment) {
    switch input {
    case .activity(let activity): if activity.type.isMoving { lastStir = now.monotonic }
    case .screen(let isOn):
      guard isOn != isScreenOn else { return }
      isScreenOn = isOn
      lastStir = now.monotonic
    case .foreground, .background, .significantChange, .stationaryRegionExit, .proximityRegionExit,
      .geofenceCrossing:
      lastStir = now.monotonic
    default: break
    }
  }

  /// Whether the phone was plugged in or out.
  mutating func take(_ battery: Battery, at now: Moment) -> Bool {
    let isPlugChanged = battery.isCharging != self.battery.isCharging
    self.battery = battery
    if isPlugChanged { lastStir = now.monotonic }
    return isPlugChanged
  }

  /// Whether a phone that lies there unplugged holds the beat back that is due then (SDK §18.3).
  @inline(__always) func holdsBeat(dueAt due: MonotonicInstant, after grace: Nanoseconds) -> Bool {
    !isScreenOn && !battery.isCharging && due >= lastStir + grace
  }
}
