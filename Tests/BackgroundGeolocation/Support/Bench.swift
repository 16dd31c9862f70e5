import FoundationEssentials
import Support

@testable import BackgroundGeolocation

/// A device on a clock of the test, with no network unless a transport is given.
struct Bench {
  static let start = Date(timeIntervalSince1970: 1_785_263_663)

  let clock = DeviceClock(startingAt: start)
  let platform: LinuxPlatform
  let bgGeo: BGGeo

  init(
    _ profile: LinuxPlatform.Profile = .iOS, folder: String? = nil, seed: UInt64 = 1,
    transport: HTTPTransport = .none
  ) throws {
    platform = LinuxPlatform(profile, clock: clock, transport: transport)
    bgGeo = try BGGeo(folder: folder, platform: platform, seed: seed)
  }

  /// Metres north of the place where the tests happen, taken now.
  func fix(north metres: Double = 0, accuracy: Double = 5, speed: Double = 0) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 45.5 + metres / 111_130, longitude: -73.6), altitude: 40,
      horizontalAccuracy: accuracy, verticalAccuracy: 4, course: 0, speed: speed, timestamp: clock.now)
  }

  func push(north metres: Double = 0, accuracy: Double = 5, speed: Double = 0) {
    platform.push(fix(north: metres, accuracy: accuracy, speed: speed))
  }

  /// Ready, on, and at rest at 0.
  func startAtRest(_ configure: @escaping (Config) -> Void = { _ in }) async throws {
    bgGeo.ready(configure)
    try await bgGeo.start()
    push()
  }

  /// On the move: a position a second, north at so many metres per second.
  func drive(from start: Double, to end: Double, speed: Double) {
    for metres in stride(from: start, through: end, by: speed) {
      clock.advance(by: 1)
      push(north: metres, speed: speed)
    }
  }
}
