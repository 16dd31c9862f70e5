package import Base

/// The purpose of a random draw of the world: the `concern` of its random stream. The numbers determine the meaning of a seed
/// and are never reused. Concerns of the world are below 64; the rest is for simulators of devices.
package enum RandomStreamID: UInt64, Sendable {
  case streets = 1
  case lights = 2
  case zones = 3
  case places = 4
  case home = 5
  case work = 6
  case day = 7
  case errand = 8
  case pace = 9
  case halts = 10
  case receiver = 11
  case acquisition = 12
  case outliers = 13
  case activity = 14
  case radio = 15
  case link = 16
  case battery = 17
  case appKills = 18
  case reboots = 19
  case gait = 20
  case roaming = 21
  case walk = 22
  case riding = 23
  case scheduledTrips = 24

  /// The device number of the city itself, which no phone has.
  package static let city = UInt64.max

  /// Returns the stream of one device for this concern, from step `n` on.
  func stream(seed: UInt64, device: UInt64, n: UInt64 = 0) -> RandomStream {
    RandomStream(seed: seed, device: device, concern: rawValue, n: n)
  }
}

/// A random stream between distant draws: it only stores its position, which is half the size of an active one.
struct RestingStream: Sendable {
  private let seed: UInt64
  private let device: UInt64
  private let concern: RandomStreamID
  private var n: UInt64 = 0

  init(_ concern: RandomStreamID, seed: UInt64, device: UInt64) {
    self.concern = concern
    self.seed = seed
    self.device = device
  }

  mutating func draw<Result>(_ body: (inout RandomStream) -> Result) -> Result {
    var stream = concern.stream(seed: seed, device: device, n: n)
    defer { n = stream.n }
    return body(&stream)
  }
}

extension MonotonicInstant {
  /// The seconds since the zero of the run.
  package var seconds: Double { Double(nanoseconds) / 1e9 }

  /// The instants lie within 285 years of the start of the run; a run lasts at most 203 years.
  package static let secondsMax = 9e9

  /// Rounds up to whole milliseconds, so that an event computed for `seconds` has happened at this instant.
  package init(secondsRoundedUp seconds: Double) {
    precondition(
      seconds.magnitude < MonotonicInstant.secondsMax, "an instant lies within 285 years of the start of the run")
    self.init(nanoseconds: Int64((seconds * 1e3).rounded(.up)) * 1_000_000)
  }
}
