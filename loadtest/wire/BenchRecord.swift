/// The default record of a moving device (SDK §5.3), for both sides of the comparison.
struct BenchRecord: Codable, Equatable {
  struct Coords: Codable, Equatable {
    var latitude = 0.0
    var longitude = 0.0
    var accuracy = 0.0
    var speed = 0.0
    var speedAccuracy = 0.0
    var heading = 0.0
    var headingAccuracy = 0.0
    var altitude = 0.0
    var altitudeAccuracy = 0.0
    var ellipsoidalAltitude = 0.0

    enum CodingKeys: String, CodingKey {
      case latitude, longitude, accuracy, speed, heading, altitude
      case speedAccuracy = "speed_accuracy"
      case headingAccuracy = "heading_accuracy"
      case altitudeAccuracy = "altitude_accuracy"
      case ellipsoidalAltitude = "ellipsoidal_altitude"
    }
  }

  struct Activity: Codable, Equatable {
    var type = ""
    var confidence = 0
  }

  struct Battery: Codable, Equatable {
    var level = 0.0
    var isCharging = false

    enum CodingKeys: String, CodingKey {
      case level
      case isCharging = "is_charging"
    }
  }

  struct Extras: Codable, Equatable {
    var trip = 0
    var driver = ""
  }

  var timestamp = ""
  var recordedAt = ""
  var age = 0
  var uuid = ""
  var isMoving = false
  var odometer = 0.0
  var odometerError = 0.0
  var coords = Coords()
  var activity = Activity()
  var battery = Battery()
  var extras = Extras()

  enum CodingKeys: String, CodingKey {
    case timestamp, age, uuid, odometer, coords, activity, battery, extras
    case recordedAt = "recorded_at"
    case isMoving = "is_moving"
    case odometerError = "odometer_error"
  }

  static let sample = BenchRecord(
    timestamp: "2026-07-28T18:34:22.563Z", recordedAt: "2026-07-28T18:34:22.593Z", age: 30,
    uuid: "0A6E1D3C-5B1F-4F0B-9C1D-2E3F4A5B6C7D", isMoving: true, odometer: 507_123.54, odometerError: 10.25,
    coords: Coords(
      latitude: 45.51801912345678, longitude: -116.2972141, accuracy: 5, speed: 1.85, speedAccuracy: 0.6,
      heading: 31.06, headingAccuracy: 12, altitude: 41.8, altitudeAccuracy: 3, ellipsoidalAltitude: 13.1),
    activity: Activity(type: "in_vehicle", confidence: 100), battery: Battery(level: 0.92, isCharging: false),
    extras: Extras(trip: 7, driver: "Zoë \"Z\" Müller, Bahnhofstraße 12, 8001 Zürich"))
}
