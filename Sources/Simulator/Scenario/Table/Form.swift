internal import Base
internal import JSON

/// How values of one type are written: what they look like, how they are read, and how a standard value is shown.
struct Form<Value: Sendable>: Sendable {
  let shape: Shape
  /// Nil after a problem was noted.
  let read: @Sendable (JSON5Value, inout Reading) -> Value?
  /// Nil for what has no short form.
  let show: @Sendable (Value) -> JSONValue?

  init(
    _ shape: Shape, show: @escaping @Sendable (Value) -> JSONValue? = { _ in nil },
    read: @escaping @Sendable (JSON5Value, inout Reading) -> Value?
  ) {
    self.shape = shape
    self.show = show
    self.read = read
  }

  /// The same text read as something else; nil from `convert` is a value out of range, of which `words` says what would be right.
  func map<Other>(
    words: String, show: @escaping @Sendable (Other) -> JSONValue? = { _ in nil },
    _ convert: @escaping @Sendable (Value) -> Other?
  ) -> Form<Other> {
    Form<Other>(shape, show: show) { value, reading in
      guard let raw = read(value, &reading) else { return nil }
      guard let converted = convert(raw) else {
        reading.refuse(value, expected: words)
        return nil
      }
      return converted
    }
  }
}

extension Form where Value == Bool {
  static var boolean: Form {
    Form(.boolean, show: { .bool($0) }) { value, reading in
      if case .bool(let flag) = value.scalar { return flag }
      reading.refuse(value, expected: "true or false")
      return nil
    }
  }
}

extension Form where Value == Int {
  static func integer(_ range: ClosedRange<Int64>) -> Form {
    Form(.integer(range), show: { .integer(Int64($0)) }) { value, reading in
      let words = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      guard case .integer(let number) = value.scalar else {
        reading.refuse(value, expected: words)
        return nil
      }
      guard range.contains(number) else {
        reading.refuse(.outOfRange, value.position, "\(number) is out of range", remedy: "write \(words)")
        return nil
      }
      return Int(number)
    }
  }

  /// How many there are of something that costs memory.
  static var count: Form { .integer(0...10_000_000) }
}

extension Form where Value == Double {
  /// Infinity and NaN are in no range.
  static func number(_ range: ClosedRange<Double>) -> Form {
    Form(.number(range), show: { .shortest($0) }) { value, reading in
      let words = "a number from \(range.lowerBound.short) to \(range.upperBound.short)"
      let number: Double
      switch value.scalar {
      case .integer(let whole): number = Double(whole)
      case .double(let real): number = real
      case .null, .bool, .string, .array, .object:
        reading.refuse(value, expected: words)
        return nil
      }
      guard range.contains(number) else {
        reading.refuse(.outOfRange, value.position, "\(number.short) is out of range", remedy: "write \(words)")
        return nil
      }
      return number
    }
  }

  static var share: Form { .number(0...1) }

  static func quantity(_ measure: Measure) -> Form {
    Form(.measure(measure), show: { .string(measure.text($0)) }) { value, reading in
      switch value.content {
      case .string(let text):
        if let quantity = measure.read(text) { return quantity }
        reading.refuse(value, expected: measure.expectation)
      case .integer(0): return 0
      case .integer, .double:
        reading.refuse(.wrongType, value.position, "a number without unit", remedy: "write \(measure.expectation)")
      case .null, .bool, .array, .object: reading.refuse(value, expected: measure.expectation)
      }
      return nil
    }
  }
}

extension Form where Value == Nanoseconds {
  static var duration: Form { span(.duration) }
  static var offset: Form { span(.offset) }

  private static func span(_ measure: Measure) -> Form {
    let seconds = Form<Double>.quantity(measure)
    return Form(seconds.shape, show: { .string(measure.text($0.seconds)) }) { value, reading in
      seconds.read(value, &reading).map { Nanoseconds(Int64(($0 * 1e9).rounded())) }
    }
  }
}

extension JSON5Value {
  /// What a text out of the environment stands for; every other value is itself.
  var scalar: Content {
    guard isSubstituted, case .string(let text) = content else { return content }
    // No result is no mistake here: the text stays a text.
    do throws(ScenarioProblem) { return try JSON5Reader.read(text).content } catch { return content }
  }
}

extension Double {
  /// Whole numbers without ".0", and the rest as JSON5 writes it.
  var short: String {
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    if isNaN { return "NaN" }
    return self == rounded() && magnitude < 1e15 ? "\(Int64(self))" : "\(self)"
  }
}

extension JSONValue {
  /// Whole numbers as integers.
  fileprivate static func shortest(_ number: Double) -> JSONValue {
    number == number.rounded() && number.magnitude < 1e15 ? .integer(Int64(number)) : .double(number)
  }
}
