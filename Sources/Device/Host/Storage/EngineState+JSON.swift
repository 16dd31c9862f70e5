import Base
import Contract
import Engine
import JSON

/// The state as it is kept, and as apps see it among the configuration (SDK §3).
extension EngineState {
  private enum Key {
    static let enabled = "enabled"
    static let isMoving = "isMoving"
    static let trackingMode = "trackingMode"
    static let schedulerEnabled = "schedulerEnabled"
    static let odometer = "odometer"
    static let odometerError = "odometerError"
    static let latitude = "latitude"
    static let longitude = "longitude"
  }

  /// What is missing or wrong is as before the first launch.
  init(_ document: JSONValue) {
    self.init()
    isEnabled = document[Key.enabled] == .bool(true)
    isMoving = document[Key.isMoving] == .bool(true)
    trackingMode = document[Key.trackingMode] == .integer(0) ? .geofence : .location
    isSchedulerEnabled = document[Key.schedulerEnabled] == .bool(true)
    odometerMetres = Self.number(document[Key.odometer]) ?? 0
    odometerErrorMetres = Self.number(document[Key.odometerError]) ?? 0
    if let latitude = Self.number(document[Key.latitude]), let longitude = Self.number(document[Key.longitude]) {
      stationaryPlace = Coordinate(latitude: latitude, longitude: longitude)
    }
  }

  /// What an app may know.
  var members: JSONObject {
    [
      Key.enabled: .bool(isEnabled), Key.isMoving: .bool(isMoving),
      Key.trackingMode: .integer(Int64(trackingMode.rawValue)), Key.schedulerEnabled: .bool(isSchedulerEnabled),
      Key.odometer: .double(odometerMetres), Key.odometerError: .double(odometerErrorMetres),
    ]
  }

  /// What `init` reads. It is written after most fixes, so it takes no detour through a tree.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(Key.enabled)
    writer.value(isEnabled)
    writer.key(Key.isMoving)
    writer.value(isMoving)
    writer.key(Key.trackingMode)
    writer.value(Int64(trackingMode.rawValue))
    writer.key(Key.schedulerEnabled)
    writer.value(isSchedulerEnabled)
    writer.key(Key.odometer)
    writer.value(odometerMetres)
    writer.key(Key.odometerError)
    writer.value(odometerErrorMetres)
    if let stationaryPlace {
      writer.key(Key.latitude)
      writer.value(stationaryPlace.latitude)
      writer.key(Key.longitude)
      writer.value(stationaryPlace.longitude)
    }
    writer.endObject()
  }

  private static func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .integer(let number)?: Double(number)
    case .double(let number)?: number
    case nil, .null?, .bool?, .string?, .array?, .object?: nil
    }
  }
}
