package import Base
package import Contract
import Engine
import Host
package import JSON
package import Scenario
package import Vocabulary

/// The phone, its app and where it begins.
package struct DriveSettings: Sendable {
  package let platform: DevicePlatform
  package let behaviour: SDKBehaviour
  package let start: Coordinate
  package let seed: UInt64
  /// Whose dialect the server speaks; nil: the app speaks as it is configured.
  package let preset: TargetPreset?
  package let target: String
  package let deviceName: String
  /// The app's configuration is that of its developer, with the SDK's defaults. Otherwise the app goes on when it is
  /// closed and when the phone is switched on again.
  package let hasOwnApp: Bool
  /// What the app says to `ready`, one after the other.
  package let documents: [JSONValue]

  package init(
    platform: DevicePlatform, behaviour: SDKBehaviour? = nil, start: Coordinate, seed: UInt64,
    preset: TargetPreset? = nil, target: String, deviceName: String, hasOwnApp: Bool = false, documents: [JSONValue]
  ) {
    self.platform = platform
    self.behaviour = behaviour ?? .observed
    self.start = start
    self.seed = seed
    self.preset = preset
    self.target = target
    self.deviceName = deviceName
    self.hasOwnApp = hasOwnApp
    let placeholders = DevicePlaceholders(id: deviceName, index: 0, fleet: "drive", seed: seed)
    self.documents = documents.map(placeholders.fill)
  }

  /// What would not take effect as it stands, in the words of its author's file.
  package var mistakes: [String] {
    ready(kept: nil).change.warnings.compactMap { warning in
      switch warning {
      case .withoutEffect, .clamped, .spaceInURL, .refreshTokenNotSent: nil
      // The phone does not come to use it: the command ends here.
      case .notAllowed(let key, let expected, let fallback):
        "\(key) must be \(expected); the SDK would use \(fallback)"
      default: warning.explanation
      }
    }
  }

  /// Where uploads go.
  package var url: String { ready(kept: nil).configuration.http.url }

  func ready(kept: Configuration?) -> (configuration: Configuration, change: ConfigurationChange) {
    var warnings: [ConfigurationWarning] = []
    var result = Configuration.ready(platform: platform, persisted: kept) { draft in
      draft.http.url = (preset ?? .rollingroad).uploads(to: target)
      if !hasOwnApp { (draft.app.stopOnTerminate, draft.app.startOnBoot) = (false, true) }
      if let preset { draft.speak(preset) }
      for document in documents { warnings += draft.apply(document).warnings }
      if let preset { draft.identify(deviceName, to: preset) }
    }
    result.change.warnings = warnings + result.change.warnings
    return result
  }

  var quirks: EngineQuirks { EngineQuirks(areObserved: behaviour == .observed) }

  var description: DeviceDescription {
    DeviceDescription(platform: platform, model: "Hand-driven", manufacturer: "Rolling Road", version: "15")
  }
}

/// The clock of a phone that lives faster than the wall clock, except while it waits for the network: the network's time
/// is real, and time limits mean what they say. With a factor of 1 it is the wall clock.
package struct DriveClock: Sendable {
  private let factor: Double
  private let start: WallInstant
  /// Where real time and the phone's were together the last time the pace has changed.
  private var realBase: MonotonicInstant
  private var base = MonotonicInstant(nanoseconds: 0)
  private var pace: Double

  package init(factor: Double, wall: WallInstant, real: MonotonicInstant) {
    precondition(factor > 0, "time goes forward")
    self.factor = factor
    start = wall
    realBase = real
    pace = factor
  }

  package func now(at real: MonotonicInstant) -> Moment {
    let elapsed = Nanoseconds(Int64(Double((real - realBase).count) * pace))
    let monotonic = base + elapsed
    return Moment(
      monotonic: monotonic,
      wall: start.advanced(byMilliseconds: (monotonic - MonotonicInstant(nanoseconds: 0)).wholeMilliseconds))
  }

  package mutating func waitsForNetwork(_ isWaiting: Bool, at real: MonotonicInstant) {
    let wanted = isWaiting ? min(factor, 1) : factor
    guard wanted != pace else { return }
    base = now(at: real).monotonic
    realBase = real
    pace = wanted
  }

  /// How long in real time until an instant of the phone; not negative.
  package func span(until instant: MonotonicInstant, at real: MonotonicInstant) -> Nanoseconds {
    let left = Double((instant - now(at: real).monotonic).count) / pace
    return Nanoseconds(Int64(max(0, left).rounded(.up)))
  }
}
