import Base
import Contract
import Vocabulary

/// A fix as iOS writes it.
enum PlaceText {
  /// `[n:]📍<45.518019,-116.297214> +/- 5.00m (speed 1.85 mps / course 31.06) @ 2026-07-28, 2:34:22 PM … | age: 30 ms`
  ///
  /// Signs before positive degrees and a missing age are of older versions. `time` is that of the line.
  static func fix(_ text: Substring, at time: WallInstant) -> LogFact.Content? {
    var scanner = TextScanner(text)
    _ = scanner.skip("\n")
    var number = 0
    if let sample = scanner.integer() {
      guard sample > 0, scanner.skip(":") else { return nil }
      number = sample
    }
    guard scanner.skip("📍") else { return nil }
    return place(&scanner, number: number, at: time)
  }

  /// From the angle bracket on.
  static func place(_ scanner: inout TextScanner, number: Int, at time: WallInstant) -> LogFact.Content? {
    guard scanner.skip("<"), let latitude = scanner.number(), scanner.skip(","), let longitude = scanner.number(),
      scanner.skip("> +/- "), let accuracy = scanner.number(), let speed = scanner.number(after: "speed "),
      let course = scanner.number(after: "course "), scanner.pass(") @ "), (-90.0...90).contains(latitude),
      (-180.0...180).contains(longitude)
    else { return nil }
    let spoken = scanner.rest.prefix { $0 != "|" && $0 != "\n" }
    let age = scanner.number(after: "age: ").flatMap { Int64(exactly: $0.rounded()) }
    let expected = time.advanced(byMilliseconds: -(age ?? 0))
    guard let timestamp = SpokenTime.read(spoken, near: expected) else { return nil }
    var coords = Coordinates(latitude: latitude, longitude: longitude)
    coords.accuracy = accuracy
    coords.speed = speed < 0 ? nil : speed
    coords.heading = course < 0 ? nil : course
    return .fix(Fix(coords: coords, timestamp: timestamp), number: number, ageMilliseconds: age)
  }
}
