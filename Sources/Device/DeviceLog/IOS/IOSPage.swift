import Base
import Contract
import Vocabulary

/// Lines of the iOS text export: time, icon, selector, message, and a blank line behind each (SDK §20.2).
struct IOSPage {
  let instant: WallInstant
  let time: LocalTime
  let utcOffsetMinutes: Int
  let zoneName: String
  private(set) var text = ""

  init(at instant: WallInstant, utcOffsetMinutes: Int, zoneName: String) {
    self.instant = instant
    time = LocalTime(instant, utcOffsetMinutes: utcOffsetMinutes)
    self.utcOffsetMinutes = utcOffsetMinutes
    self.zoneName = zoneName
  }

  static let bar = String(repeating: "═", count: 59)

  mutating func line(_ icon: String, _ selector: String, _ message: String = "") {
    text += "\(time.full) \(icon) \(selector) \(message)\n\n"
  }

  mutating func box(_ selector: String, _ message: String = "") {
    text += "\(time.full) \n╔\(Self.bar)\n║ \(selector) \(message)\n╚\(Self.bar)\n\n"
  }

  /// A line that names nobody: the fixes of tracking stand beside the time, those of a request below it.
  mutating func line(_ message: String) {
    text += "\(time.full) \(message)\n\n"
  }

  mutating func bare(_ message: String) {
    text += "\(time.full) \n\(message)\n\n"
  }

  mutating func banner(_ configuration: Configuration) {
    text +=
      "\(time.full) 🔵 -[TSLocationManager init] \n╔\(Self.bar)\n║ TSLocationManager (build \(Self.build))\n╠\(Self.bar)\n"
    text += PropertyList(configuration.redacted).text + "\n\n"
  }

  /// The build of the engine whose log is written here.
  static let build = 388

  /// `📍<45.518019,-116.297214> +/- 5.00m (speed 1.85 mps / course 31.06) @ 2026-07-28, 2:34:22 PM …`
  func place(_ fix: Fix) -> String {
    let coords = fix.coords
    let position = "\(LogNumber.fixed(coords.latitude, 6)),\(LogNumber.fixed(coords.longitude, 6))"
    let motion =
      "speed \(LogNumber.fixed(coords.speed ?? -1, 2)) mps / course \(LogNumber.fixed(coords.heading ?? -1, 2))"
    let when = LocalTime(fix.timestamp, utcOffsetMinutes: utcOffsetMinutes).spoken
    return "📍<\(position)> +/- \(LogNumber.fixed(coords.accuracy ?? -1, 2))m (\(motion)) @ \(when) \(zoneName)"
  }

  /// As Core Foundation writes a UUID.
  func upper(_ uuid: UUID128) -> String {
    var bytes: [UInt8] = []
    uuid.append(upperCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
