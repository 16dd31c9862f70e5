import Base
import Contract
import Vocabulary

/// A fix in the format of iOS.
enum PlaceText {
  /// `[n:]📍<45.518019,-116.297214> +/- 5.00m (speed 1.85 mps / course 31.06) @ 2026-07-28, 2:34:22 PM … | age: 30 ms`
  ///
  /// Older versions write signs before positive degrees, and no age. `time` is that of the line.
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

  /// Parses from the angle bracket on.
  static func place(_ scanner: inout TextScanner, number: Int, at time: WallInstant) -> LogFact.Content? {
    guard scanner.skip("<"), let latitude = scanner.number(), scanner.skip(","), let longitude = scanner.number(),
      scanner.skip("> +/- "), let accuracy = scanner.number(), let speed = scanner.number(after: "speed "),
      let course = scanner.number(after: "course "), scanner.pass(") @ "), (-90.0...90).contains(latitude),
      (-180.0...180).contains(longitude)
    else { return nil }
    let spoken = scanner.rest.prefix { $0 != "|" && $0 != "\n" }
    let age = scanner.number(after: "age: ")?.rounded()
    guard let expected = time.before(age ?? 0), let timestamp = SpokenTime.read(spoken, near: expected) else {
      return nil
    }
    var coords = Coordinates(latitude: latitude, longitude: longitude)
    coords.accuracy = accuracy
    coords.speed = speed < 0 ? nil : speed
    coords.heading = course < 0 ? nil : course
    return .fix(Fix(coords: coords, timestamp: timestamp), number: number, ageMilliseconds: age.map { Int64($0) })
  }
}

/// Fixes in the format of Android: `Location[fused 45.518019,-116.297214 hAcc=5.0 et=+1h2m alt=30.0 vel=1.85 bear=31.0
/// mock], age: 30ms, time: 1785249262563`. The part after the bracket may be in the next row of the box, the time may
/// be a time of day, and phones with decimal commas use them here too.
enum AndroidPlace {
  /// Returns all positions of a box in order: a batch has several.
  static func all(in text: Substring, number: Int, at time: WallInstant) -> [LogFact.Content] {
    var scanner = TextScanner(text)
    var found: [LogFact.Content] = []
    while scanner.pass("Location[") {
      guard let inner = scanner.upToClosing("[", "]") else { break }
      let details = behind(scanner.rest)
      guard let coords = coordinates(inner), let timestamp = time.before(details.age ?? 0) else { continue }
      var fix = Fix(coords: coords, timestamp: timestamp)
      if let stamp = details.stamp { fix.timestamp = instant(of: stamp, near: fix.timestamp) }
      fix.isMock = inner.split(separator: " ").contains("mock")
      let sample = number == 0 ? 0 : number + found.count
      found.append(.fix(fix, number: sample, ageMilliseconds: details.age.map { Int64($0) }))
    }
    return found
  }

  private static func coordinates(_ inner: Substring) -> Coordinates? {
    let words = inner.split(separator: " ", maxSplits: 2)
    guard words.count > 1, let (place, hasCommas) = pair(words[1]) else { return nil }
    var coords = place
    let details = words.count > 2 ? String(words[2]) : ""
    let plain = hasCommas ? details.replacing(",", with: ".") : details
    func value(_ label: String) -> Double? {
      var scanner = TextScanner(Substring(" " + plain))
      return scanner.number(after: " \(label)=").flatMap { $0 < 0 ? nil : $0 }
    }
    // Up to Android 7 the label is `acc`.
    coords.accuracy = value("hAcc") ?? value("acc")
    coords.speed = value("vel")
    coords.heading = value("bear")
    return coords
  }

  /// Parses `45.518019,-116.297214`, also with decimal commas.
  private static func pair(_ text: Substring) -> (Coordinates, hasCommas: Bool)? {
    var parts = text.split(separator: ",").map(String.init)
    let hasCommas = parts.count == 4
    if hasCommas { parts = [parts[0] + "." + parts[1], parts[2] + "." + parts[3]] }
    guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      (-90.0...90).contains(latitude), (-180.0...180).contains(longitude)
    else { return nil }
    return (Coordinates(latitude: latitude, longitude: longitude), hasCommas)
  }

  /// Parses `45.518019,-116.297214, acy: 17.857m, age: 0s`, logged for significant changes and passive positions, with
  /// the age in whole seconds. For the exit from a geofence there are only the coordinates.
  static func short(_ text: Substring, at time: WallInstant) -> (fix: Fix, ageMilliseconds: Int64?)? {
    var scanner = TextScanner(text)
    let ahead = scanner.upTo(", acy: ")
    guard let (pair, hasCommas) = pair(ahead ?? text.prefix { $0 != " " && $0 != "\n" }) else { return nil }
    var coords = pair
    guard ahead != nil else { return (Fix(coords: coords, timestamp: time), nil) }
    if hasCommas { scanner = TextScanner(Substring(scanner.rest.replacing(",", with: "."))) }
    coords.accuracy = scanner.number().flatMap { $0 < 0 ? nil : $0 }
    let age = scanner.number(after: "age: ").map { ($0 * 1_000).rounded() }
    guard let timestamp = time.before(age ?? 0) else { return nil }
    return (Fix(coords: coords, timestamp: timestamp), age.map { Int64($0) })
  }

  /// Returns the first `Location[…]` of a text.
  static func first(in text: Substring, at time: WallInstant) -> Fix? {
    for case .fix(let fix, _, _) in all(in: text, number: 1, at: time) { return fix }
    return nil
  }

  private static func behind(_ text: Substring) -> (age: Double?, stamp: Substring?) {
    var ahead = TextScanner(text)
    guard let own = ahead.upTo("Location[") ?? Optional(text) else { return (nil, nil) }
    var scanner = TextScanner(own)
    var age: Double?
    if scanner.pass("ge: ") { age = scanner.number()?.rounded() }
    guard scanner.pass("time: ") else { return (age, nil) }
    return (age, scanner.rest.prefix { $0 != "\n" })
  }

  /// Milliseconds since 1970 are in UTC, and the head of the line is in the device's zone: they differ by a whole
  /// number of quarters of an hour, as zones do.
  private static func instant(of stamp: Substring, near expected: WallInstant) -> WallInstant {
    guard let milliseconds = Int64(stamp.trimmedSpace) else {
      return LogHead.instant(ofMonthAndClock: stamp, near: expected) ?? expected
    }
    let quarter: Int64 = 900_000
    let apart = expected.millisecondsSince1970.subtractingReportingOverflow(milliseconds)
    let quarters = (Double(apart.partialValue) / Double(quarter)).rounded()
    guard !apart.overflow, let offset = Int64(exactly: quarters * Double(quarter)) else { return expected }
    return WallInstant(exactly: milliseconds + offset) ?? expected
  }
}

extension WallInstant {
  /// Returns the instant of a fix of that age, a whole number of milliseconds; nil outside the calendar. A corrupt log may
  /// contain any number.
  func before(_ age: Double) -> WallInstant? { Int64(exactly: -age).flatMap { moved(byMilliseconds: $0) } }
}

extension Substring {
  fileprivate var trimmedSpace: Substring {
    let start = drop { $0 == " " }
    return start.prefix { $0 != " " }
  }
}
