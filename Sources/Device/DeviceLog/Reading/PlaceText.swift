import Base
import Contract
import Vocabulary

/// A fix as the two platforms write it.
enum PlaceText {
  /// `[n:]📍<45.518019,-116.297214> +/- 5.00m (speed 1.85 mps / course 31.06) @ 2026-07-28, 2:34:22 PM … | age: 30 ms`
  static func fix(_ text: Substring) -> LogFact.Content? {
    var scanner = TextScanner(text)
    _ = scanner.skip("\n")
    var number = 0
    if let sample = scanner.integer() {
      guard sample > 0, scanner.skip(":") else { return nil }
      number = sample
    }
    guard scanner.skip("📍<"), let latitude = scanner.number(), scanner.skip(","), let longitude = scanner.number(),
      scanner.skip("> +/- "), let accuracy = scanner.number(), let speed = scanner.number(after: "speed "),
      let course = scanner.number(after: "course "), scanner.pass(") @ "), let time = spokenTime(&scanner)
    else { return nil }
    var coords = Coordinates(latitude: latitude, longitude: longitude)
    coords.accuracy = accuracy
    coords.speed = speed < 0 ? nil : speed
    coords.heading = course < 0 ? nil : course
    let age = scanner.number(after: "age: ").map { Int64($0) }
    return .fix(Fix(coords: coords, timestamp: time), number: number, ageMilliseconds: age)
  }

  /// `2026-07-28, 2:34:22 PM`
  private static func spokenTime(_ scanner: inout TextScanner) -> WallInstant? {
    guard let date = scanner.upTo(", "), let hour = scanner.integer(), scanner.skip(":"),
      let minute = scanner.integer(),
      scanner.skip(":"), let second = scanner.integer(), (1...12).contains(hour)
    else { return nil }
    // Between the time and its half of the day iOS may put a narrow no-break space.
    _ = scanner.skip(" ") || scanner.skip("\u{202F}")
    guard let half = ["AM": 0, "PM": 12].first(where: { scanner.skip($0.key) })?.value else { return nil }
    let clock = [hour % 12 + half, minute, second].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    return WallInstant(iso8601: "\(date) \(clock)Z".utf8.span)
  }

  /// `Location[fused 45.518019,-116.297214 hAcc=5.0 … vel=1.85 … bear=31.0 …], age: 30ms, time: 07-28 14:34:22.563`
  static func androidFix(_ text: Substring, number: Int, at time: WallInstant) -> LogFact.Content? {
    var scanner = TextScanner(text)
    guard scanner.pass("Location["),
      let latitude = {
        _ = scanner.word(); _ = scanner.skip(" "); return scanner.number()
      }(),
      scanner.skip(","), let longitude = scanner.number(), (-90.0...90).contains(latitude),
      (-180.0...180).contains(longitude)
    else { return nil }
    var coords = Coordinates(latitude: latitude, longitude: longitude)
    let details = scanner
    func value(_ label: String) -> Double? {
      var copy = details
      return copy.number(after: label)
    }
    coords.accuracy = value("hAcc=")
    coords.speed = value("vel=")
    coords.heading = value("bear=")
    let age = value("age: ").map { Int64($0) }
    return .fix(
      Fix(coords: coords, timestamp: time.advanced(byMilliseconds: -(age ?? 0))), number: number, ageMilliseconds: age)
  }
}
