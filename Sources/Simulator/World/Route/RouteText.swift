import Base

/// What the texts of a route file mean; the same in every format.
enum RouteText {
  /// A decimal number, spaces around it left out. Nil for anything else, and for what is not finite.
  static func number(_ text: ArraySlice<UInt8>) -> Double? {
    let digits = trimmed(text)
    guard !digits.isEmpty, digits.count <= 64, digits.allSatisfy(isOfNumber) else { return nil }
    guard let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite else { return nil }
    return number
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  static func place(latitude: Double, longitude: Double, at spot: FileSpot) throws(RouteError) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw RouteError(
        .badCoordinate, at: spot,
        "latitude \(latitude), longitude \(longitude) is no place; latitude is −90 to 90, longitude −180 to 180")
    }
    return place
  }

  /// ISO 8601 with an offset from UTC.
  static func time(_ text: ArraySlice<UInt8>, at spot: FileSpot) throws(RouteError) -> WallInstant {
    let text = trimmed(text)
    guard let time = WallInstant(iso8601: text.span) else {
      throw RouteError(
        .badTime, at: spot,
        "\"\(shown(text))\" is no time; write it as 2026-03-02T06:30:00Z or with an offset from UTC")
    }
    return time
  }

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let front = text.drop(while: ByteReader.isSpace)
    guard let last = front.lastIndex(where: { !ByteReader.isSpace($0) }) else { return front.prefix(0) }
    return front[...last]
  }

  /// The beginning of a text, for messages.
  static func shown(_ text: ArraySlice<UInt8>) -> String { String(decoding: text.prefix(40), as: UTF8.self) }
}
