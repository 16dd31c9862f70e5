import Base
package import Contract
import Vocabulary

extension ProviderState {
  /// The reason why the app gets no positions in this state; nil when it does (SDK §19.5). Before the user was asked,
  /// nothing is allowed.
  package var denial: LocationError? {
    if !isEnabled { return .servicesDisabled }
    return switch authorizationStatus {
    case 0, 1, 2, 5: .permissionDenied
    default: nil
    }
  }
}

/// The engine's knowledge of the phone and its app.
struct PhoneFacts: Sendable {
  /// The activity until the demanded sensors have reported one.
  static let noActivity = Activity(.unknown, confidence: 0)

  var activity = PhoneFacts.noActivity
  var battery = Battery(level: nil, isCharging: false)
  var provider: ProviderState?
  var connectivity = Connectivity.none
  var isPowerSaving = false
  var zone: ZoneRules
  var isInBackground = false
  var isScreenOn = true
  /// The time when the app went to the background, the screen changed or the device moved last; the
  /// throttling of heartbeats is measured from it.
  private var lastUse = MonotonicInstant(nanoseconds: 0)

  init(in zone: ZoneRules) { self.zone = zone }

  mutating func begin(_ launch: Launch, at now: Moment) {
    isInBackground = launch.isInBackground
    lastUse = now.monotonic
  }

  /// Call it before timers fire: use of the phone releases a heartbeat that was held back.
  mutating func noteUse(_ input: EngineInput, at now: Moment) {
    switch input {
    case .activity(let activity): if activity.type.isMoving { lastUse = now.monotonic }
    case .screen(let isOn):
      guard isOn != isScreenOn else { return }
      isScreenOn = isOn
      lastUse = now.monotonic
    case .foreground, .background, .significantChange, .stationaryRegionExit, .proximityRegionExit,
      .geofenceCrossing:
      lastUse = now.monotonic
    default: break
    }
  }

  /// Returns whether the phone was plugged in or unplugged.
  mutating func take(_ battery: Battery, at now: Moment) -> Bool {
    let isPlugChanged = battery.isCharging != self.battery.isCharging
    self.battery = battery
    if isPlugChanged { lastUse = now.monotonic }
    return isPlugChanged
  }

  /// Reports whether an unplugged phone at rest holds back the heartbeat due then (SDK §18.3).
  @inline(__always) func holdsBeat(dueAt due: MonotonicInstant, after grace: Nanoseconds) -> Bool {
    !isScreenOn && !battery.isCharging && due >= lastUse + grace
  }
}
