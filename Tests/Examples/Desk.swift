import BackgroundGeolocation
import FoundationEssentials

/// A phone for one example: in memory, on a clock of its own, with a server that takes everything.
struct Desk {
  let clock: DeviceClock
  let platform: LinuxPlatform
  let bgGeo: BGGeo

  init(_ profile: LinuxPlatform.Profile = .iOS) throws {
    clock = DeviceClock(startingAt: Date(timeIntervalSince1970: 1_785_263_663))
    let transport = HTTPTransport { request, end in
      let isTokenWanted = request.url.hasSuffix("/api/register")
      let tokens = #"{"access_token":"a","refresh_token":"b","expires":3600}"#
      end(.answered(status: 200, body: Array((isTokenWanted ? tokens : "{}").utf8)))
    }
    platform = LinuxPlatform(profile, clock: clock, transport: transport)
    bgGeo = try BGGeo(folder: nil, platform: platform)
  }

  /// Half an hour of a life: a rest, a way of a kilometre, a rest.
  func live() async {
    platform.push(place(0))
    for step in 0..<60 {
      await Self.letTasksRun()
      clock.advance(by: step < 50 ? 1 : 180)
      if step == 5 { platform.push(activity: "in_vehicle", confidence: 100) }
      if step == 50 { platform.push(activity: "still", confidence: 100) }
      platform.push(place(Double(min(step, 50)) * 20))
    }
    await bgGeo.callbackQueue.drained()
  }

  /// Tasks of an example go on while the clock of the phone stands still.
  private static func letTasksRun() async { for _ in 0..<20 { await Task.yield() } }

  private func place(_ metres: Double) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 45.5 + metres / 111_130, longitude: -73.6), altitude: 40,
      horizontalAccuracy: 5, verticalAccuracy: 4, timestamp: clock.now)
  }
}
