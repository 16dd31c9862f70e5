import BackgroundGeolocation

/// Single positions, streams of them, and the odometer.
enum Positions {
  /// The heartbeat knows the old position; who wants a new one asks.
  static func askAtEachHeartbeat(_ bgGeo: BGGeo) -> EventSubscription {
    bgGeo.onHeartbeat { _ in
      Task {
        do {
          Listening.describe(try await bgGeo.getCurrentPosition(samples: 1, persist: true))
        } catch { print("no position: \(error)") }
      }
    }
  }

  static func ask(_ bgGeo: BGGeo) async {
    do {
      let exact = try await bgGeo.getCurrentPosition(
        timeout: 20, desiredAccuracy: 10, maximumAge: 60_000, samples: 2, allowStale: false, persist: false,
        label: "door", extras: ["door": 7])
      print(exact)
    } catch let error as LocationError {
      print(error.code, error.message)
    } catch { print(error) }
  }

  static func watch(_ bgGeo: BGGeo) -> Int {
    let silent = bgGeo.watchPosition(
      interval: 5_000, timeout: 30, persist: false, success: { print($0) }, failure: { print($0) })
    bgGeo.stopWatchPosition(silent)
    return bgGeo.watchPosition(success: { location in print(location) }, failure: { error in print(error) })
  }

  static func countFromHere(_ bgGeo: BGGeo) async throws {
    try await bgGeo.resetOdometer()
    let start = try await bgGeo.setOdometer(1_000, extras: ["trip": "north"])
    print(start.odometer ?? 0, bgGeo.odometer)
  }
}
