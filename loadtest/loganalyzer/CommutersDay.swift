import Contract
import Engine
import Upload
import Vocabulary

/// What befalls a device on one day: in the morning records go one by one, in the afternoon in batches.
struct CommutersDay {
  static let configuration = """
    {"url":"http://server.example/locations","logLevel":5,"autoSync":true,"stopTimeout":5,"heartbeatInterval":600,
     "preventSuspend":true,"maxRecordsToPersist":150,"schedule":["1-7 05:30-21:30"],
     "authorization":{"strategy":"JWT","accessToken":"first","refreshToken":"other",
      "refreshUrl":"http://server.example/refresh","refreshPayload":{"token":"{refreshToken}"},"expires":-1}}
    """
  private static let unavailable = RequestOutcome.answered(status: 503, reason: "Service Unavailable", body: [])

  static func run(on device: inout CommutersDevice, isFirst: Bool) throws {
    if isFirst {
      try device.ready(configuration)
      try device.call(.startSchedule)
      try device.call(
        .addGeofences([fence("home", latitude: 45.5), fence("office", latitude: 45.68)]))
    }
    try device.configure(#"{"batchSync":false,"autoSyncThreshold":0}"#)
    try device.wait(untilHour: 7)
    // The app is looked at: iOS minds its schedule only when it is awake.
    try device.give(.foreground)
    try device.give(.background)
    try device.give(.battery(Battery(level: 0.9, isCharging: false)))
    try driveToWork(&device)
    try work(&device)
    try driveHome(&device)
    try device.wait(untilHour: 23)
    try device.give(.foreground)
    try device.sync()
    try device.give(.background)
    try device.wait(untilHour: 24)
  }

  private static func driveToWork(_ device: inout CommutersDevice) throws {
    try device.cross("home", isEntry: false)
    try device.drive(seconds: 400, metresPerSecond: 20)
    device.server.refusesToken = true
    try device.drive(seconds: 300, metresPerSecond: 20)
    device.server.troubles = Array(repeating: unavailable, count: 3)
    try device.drive(seconds: 300, metresPerSecond: 20)
    try device.cross("office", isEntry: true)
  }

  private static func work(_ device: inout CommutersDevice) throws {
    try device.give(.background)
    try device.wait(seconds: 3_600)
    device.server.troubles = [.failed(.timeout, message: "connect timed out")]
    try device.call(.currentPosition(PositionRequest(id: 1)))
    device.server.commands = #"[["setConfig",{"distanceFilter":20}],["changePace",true],["fly"]]"#
    try device.give(.foreground)
    try device.wait(seconds: 3_600)
    device.server.commands = """
      [["setOdometer",1000],["addGeofence",{"identifier":"shop","latitude":45.6,"longitude":-73.6,"radius":200}]]
      """
    try device.call(.currentPosition(PositionRequest(id: 2)))
    try device.wait(seconds: 3_600)
    device.server.commands = #"["setConfig",{"batchSync":true,"maxBatchSize":50,"autoSyncThreshold":10}]"#
    try device.call(.currentPosition(PositionRequest(id: 3)))
  }

  /// With a tunnel longer than the queue.
  private static func driveHome(_ device: inout CommutersDevice) throws {
    try device.cross("office", isEntry: false)
    try device.give(.connectivity(.cellular))
    try device.drive(seconds: 400, metresPerSecond: -20)
    try device.give(.connectivity(.none))
    try device.drive(seconds: 600, metresPerSecond: -15)
    try device.give(.connectivity(.cellular))
    device.server.troubles = [unavailable]
    device.server.refusesToken = true
    try device.drive(seconds: 200, metresPerSecond: -15)
    try device.cross("home", isEntry: true)
    try device.give(.connectivity(.wifi))
  }

  private static func fence(_ name: String, latitude: Double) -> Geofence {
    Geofence(
      identifier: name, shape: .circle(center: .init(latitude: latitude, longitude: -73.6), radiusMetres: 200))
  }
}
