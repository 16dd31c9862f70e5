import Base
import Contract
import JSON
import Vocabulary

/// Lines of the Android text export: time, level, place, and the message on the next line (SDK §20.3).
struct AndroidPage {
  private let time: LocalTime
  private let level: String
  private(set) var text = ""

  init(at instant: WallInstant, utcOffsetMinutes: Int, level: Contract.LogLevel) {
    time = LocalTime(instant, utcOffsetMinutes: utcOffsetMinutes)
    self.level =
      switch level {
      case .error: "ERROR"
      case .warning: "WARN"
      case .info: "INFO"
      case .off, .debug, .verbose: "DEBUG"
      }
  }

  private static let bar = String(repeating: "═", count: 45)

  /// `place` is class and method: `HttpService createRequest`.
  mutating func line(_ icon: String, _ place: String, _ message: String, level: String? = nil) {
    text += head(place, level) + "\n  \(icon)  \(message)\n"
  }

  mutating func plain(_ place: String, _ message: String) {
    text += head(place, nil) + "\n  \(message)\n"
  }

  mutating func box(_ place: String, _ title: String, _ details: [String] = []) {
    text += head(place, nil) + "\n╔\(Self.bar)\n║ \(title)\n╠\(Self.bar)\n"
    for detail in details { text += "╟─ \(detail)\n" }
    if !details.isEmpty { text += "╚\(Self.bar)\n" }
  }

  mutating func banner(_ configuration: Configuration) {
    var writer = JSONWriter(capacity: 4_096)
    configuration.redacted.write(to: &writer)
    box(
      "TSConfig print", "TSLocationManager version: \(Self.version) (\(Self.versionCode))",
      ["rolling.road", "Simulated @ \(configuration.platform.rawValue)"])
    text += String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }

  static let version = "4.5.0"
  static let versionCode = 4_500

  private func head(_ place: String, _ level: String?) -> String {
    "\(time.monthAndDay) \(time.clock) \(level ?? self.level) [\(place)] "
  }

  func lower(_ uuid: UUID128) -> String {
    var bytes: [UInt8] = []
    uuid.append(lowerCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `Location[fused 45.518019,-116.297214 hAcc=5.0 …]`
  func place(_ fix: Fix) -> String {
    let coords = fix.coords
    let position = "\(LogNumber.fixed(coords.latitude, 6)),\(LogNumber.fixed(coords.longitude, 6))"
    let speed = coords.speed.map { " vel=\(LogNumber.fixed($0, 2))" } ?? ""
    let bearing = coords.heading.map { " bear=\(LogNumber.fixed($0, 1))" } ?? ""
    return "Location[fused \(position) hAcc=\(LogNumber.fixed(coords.accuracy ?? -1, 2))\(speed)\(bearing)"
      + (fix.isMock ? " mock]" : "]")
  }
}
