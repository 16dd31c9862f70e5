package import Base
package import Contract
import Engine
import Host
package import JSON
package import Scenario
package import Vocabulary

/// The settings of the phone and its app, and its start.
package struct DriveSettings: Sendable {
  package let platform: DevicePlatform
  package let behaviour: SDKBehaviour
  package let start: Coordinate
  package let seed: UInt64
  /// The preset of the server's dialect; nil: the app's configuration is unchanged.
  package let preset: TargetPreset?
  package let target: String
  package let deviceName: String
  /// Whether the app has a developer's configuration, with the SDK's defaults. Otherwise the app continues when it is closed
  /// and when the phone is switched on again.
  package let hasOwnApp: Bool
  /// The configurations that the app passes to `ready`, in order.
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

  /// Settings that would not take effect, in terms of the configuration file.
  package var mistakes: [String] {
    ready(kept: nil).change.warnings.compactMap { warning in
      switch warning {
      case .withoutEffect, .clamped, .spaceInURL, .refreshTokenNotSent: nil
      // The fallback is not used, because the command ends here.
      case .notAllowed(let key, let expected, let fallback):
        "\(key) must be \(expected); the SDK would use \(fallback)"
      default: warning.explanation
      }
    }
  }

  /// The upload URL.
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

/// The clock of a phone whose time runs faster than the wall clock, except while it waits for the network: network time is
/// real, and timeouts keep their meaning. With a factor of 1 it is the wall clock.
package struct DriveClock: Sendable {
  private let factor: Double
  private let start: WallInstant
  /// The real time and the phone's time at the last change of the pace.
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

  /// Returns the real time until an instant of the phone; not negative.
  package func span(until instant: MonotonicInstant, at real: MonotonicInstant) -> Nanoseconds {
    let left = Double((instant - now(at: real).monotonic).count) / pace
    return Nanoseconds(Int64(max(0, left).rounded(.up)))
  }
}
