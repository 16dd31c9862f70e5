import Base

/// A kind of quantity, written as a number with a unit.
struct QuantityKind: Sendable {
  /// The name in messages: "a duration".
  let name: String
  let example: String
  /// The factors to the internal unit.
  let units: KeyValuePairs<String, Double>
  /// Whether several parts may be combined, larger units first, as in `2h15m`.
  let isCompound: Bool
  let range: ClosedRange<Double>

  /// In seconds. Units as in Go and k6.
  static let duration = QuantityKind(
    name: "a duration", example: "90s", units: ["ms": 1e-3, "s": 1, "m": 60, "h": 3_600, "d": 86_400],
    isCompound: true, range: 0...Nanoseconds.centurySeconds)
  /// A duration that may be negative, for clocks.
  static let offset = QuantityKind(
    name: "a duration with or without sign", example: "-90s", units: duration.units, isCompound: true,
    range: -Nanoseconds.centurySeconds...Nanoseconds.centurySeconds)
  static let length = QuantityKind(
    name: "a length", example: "250m", units: ["m": 1, "km": 1e3], isCompound: false, range: 0...1e8)
  static let speed = QuantityKind(
    name: "a speed", example: "50km/h", units: ["m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704], isCompound: false,
    range: 0...1e4)
  /// In bits per second, with decimal prefixes.
  static let rate = QuantityKind(
    name: "a rate", example: "30mbit", units: ["bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9], isCompound: false,
    range: 0...1e12)
  static let size = QuantityKind(
    name: "a size", example: "64KiB",
    units: ["B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824],
    isCompound: false, range: 0...1e15)

  /// Reads a quantity within the range; nil for an invalid one.
  func read(_ text: String) -> Double? { number(of: text).flatMap { range.contains($0) ? $0 : nil } }

  /// Parses a quantity of any size; nil for an invalid one. Only 0 may have no unit.
  func number(of text: String) -> Double? {
    var rest = Substring(text)
    var sign = 1.0
    if range.lowerBound < 0, let first = rest.first, first == "-" || first == "+" {
      sign = first == "-" ? -1 : 1
      rest = rest.dropFirst()
    }
    guard !rest.isEmpty else { return nil }
    if rest == "0" { return 0 }
    var sum = 0.0
    var smallest = Double.infinity
    while !rest.isEmpty {
      guard let part = nextPart(of: &rest), part.factor < smallest, isCompound || smallest == .infinity else {
        return nil
      }
      smallest = part.factor
      sum += part.number * part.factor
    }
    return sign * sum
  }

  private func nextPart(of rest: inout Substring) -> (number: Double, factor: Double)? {
    let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let first = digits.first, let last = digits.last, first != ".", last != ".", let number = Double(digits)
    else { return nil }
    rest = rest.dropFirst(digits.count)
    let unit = rest.prefix { !($0.isASCII && $0.isNumber) }
    guard let factor = units.first(where: { $0.key == unit })?.value else { return nil }
    rest = rest.dropFirst(unit.count)
    return (number, factor)
  }

  /// The corresponding regular expression of JSON Schema, without the order of combined parts.
  var pattern: String {
    let names = units.map(\.key).joined(separator: "|")
    let part = "[0-9]+(\\.[0-9]+)?(\(names))"
    return "^\(range.lowerBound < 0 ? "[-+]?" : "")(0|\(isCompound ? "(\(part))+" : part))$"
  }

  /// The expected form: "a duration, as in "90s" (ms, s, m, h, d)".
  var expectation: String { "\(name), as in \"\(example)\" (\(units.map(\.key).joined(separator: ", ")))" }

  /// Returns the text in the usual notation: `1h15m`, `50km/h`, `1.5m`.
  func text(_ value: Double) -> String {
    if value == 0 { return "0" + (units.first { $0.value == 1 }?.key ?? "") }
    let sign = value < 0 ? "-" : ""
    let falling = units.sorted { $0.value > $1.value }
    if isCompound, let parts = wholeParts(of: value.magnitude, falling) { return sign + parts }
    // The largest unit in which the number is whole; otherwise the internal one.
    let best = falling.first { (value / $0.value).rounded() == value / $0.value } ?? falling.first { $0.value == 1 }
    guard let best else { preconditionFailure("a measure has a unit of factor 1") }
    return (value / best.value).short + best.key
  }

  /// Returns the whole parts; nil when a remainder is below the smallest unit.
  private func wholeParts(of value: Double, _ falling: [(key: String, value: Double)]) -> String? {
    var rest = (value * 1e9).rounded()
    var text = ""
    for unit in falling where rest >= unit.value * 1e9 {
      let count = (rest / (unit.value * 1e9)).rounded(.down)
      rest -= count * unit.value * 1e9
      text += count.short + unit.key
    }
    return rest == 0 ? text : nil
  }
}

extension ValueCodec where Value == Coordinate {
  /// `[latitude, longitude]`, in the order of maps.
  static var place: ValueCodec {
    let pair = ValueCodec<[Double]>.list(of: .number(-180...180), count: 2...2)
    return pair.map(words: "[latitude, longitude] in degrees") { Coordinate(latitude: $0[0], longitude: $0[1]) }
  }
}

extension ValueCodec where Value == Polygon {
  /// Three or more places.
  static var polygon: ValueCodec {
    ValueCodec<[Coordinate]>.list(of: .place, count: 3...10_000).map(words: "three places or more") { Polygon($0) }
  }
}
