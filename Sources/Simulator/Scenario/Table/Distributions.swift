import Base
internal import JSON

/// `{ dist: "uniform", min, max }`.
struct UniformSection<Unit: DistributionUnit>: ScenarioSection {
  var min = 0.0
  var max = 0.0

  static var table: Table<Self> {
    Table(
      "uniform-\(Unit.word)", "All values between two bounds are equally likely.",
      [
        .required("min", \.min, .quantity(Unit.measure), "The smallest value."),
        .required("max", \.max, .quantity(Unit.measure), "The largest value."),
      ])
  }
}

/// `{ dist: "normal", mean, deviation }`.
struct NormalSection<Unit: DistributionUnit>: ScenarioSection {
  var mean = 0.0
  var deviation = 0.0

  static var table: Table<Self> {
    Table(
      "normal-\(Unit.word)", "The normal distribution, truncated at 0.",
      [
        .required("mean", \.mean, .quantity(Unit.measure), "The mean."),
        .required("deviation", \.deviation, .quantity(Unit.measure), "The standard deviation."),
      ])
  }
}

/// `{ dist: "lognormal", median, p95 }`.
struct LognormalSection<Unit: DistributionUnit>: ScenarioSection {
  var median = 0.0
  var p95 = 0.0

  static var table: Table<Self> {
    Table(
      "lognormal-\(Unit.word)", "Many small values and some large ones.",
      [
        .required("median", \.median, .quantity(Unit.measure), "Half of the values are smaller."),
        .required("p95", \.p95, .quantity(Unit.measure), "One value in twenty is larger."),
      ])
  }
}

/// `{ dist: "exponential", mean }`.
struct ExponentialSection<Unit: DistributionUnit>: ScenarioSection {
  var mean = 0.0

  static var table: Table<Self> {
    Table(
      "exponential-\(Unit.word)", "Waiting times between independent events.",
      [.required("mean", \.mean, .quantity(Unit.measure), "The mean.")])
  }
}

/// `{ dist: "pareto", min, alpha }`.
struct ParetoSection<Unit: DistributionUnit>: ScenarioSection {
  var min = 0.0
  var alpha = 1.0

  static var table: Table<Self> {
    Table(
      "pareto-\(Unit.word)", "A heavy tail: the smaller alpha, the heavier.",
      [
        .required("min", \.min, .quantity(Unit.measure), "The smallest value, more than 0."),
        .required("alpha", \.alpha, .number(0.1...100), "How fast the tail falls."),
      ])
  }
}

/// `{ dist: "constant", value }`.
struct ConstantSection<Unit: DistributionUnit>: ScenarioSection {
  var value = 0.0

  static var table: Table<Self> {
    Table(
      "constant-\(Unit.word)", "A constant; the value may also be written alone.",
      [.required("value", \.value, .quantity(Unit.measure), "The value.")])
  }
}

/// The unit of a distribution, as a type, so that each has tables of its own.
protocol DistributionUnit: Sendable {
  static var measure: QuantityKind { get }
  /// The part of table names.
  static var word: String { get }
}

/// Distributions of durations, in seconds.
enum InSeconds: DistributionUnit {
  static let measure = QuantityKind.duration
  static let word = "duration"
}

/// Distributions of lengths, in metres.
enum InMetres: DistributionUnit {
  static let measure = QuantityKind.length
  static let word = "length"
}

extension ValueCodec where Value == Distribution {
  /// Returns a codec for a constant quantity, or an object with `dist`.
  @_semantics("optimize.sil.specialize.generic.never")
  static func distribution<Unit: DistributionUnit>(_ unit: Unit.Type) -> ValueCodec {
    let quantity = ValueCodec<Double>.quantity(Unit.measure)
    let spread = variants(
      tag: "dist",
      [
        Variant("constant") { (section: ConstantSection<Unit>) in .constant(section.value) },
        Variant("uniform") { (section: UniformSection<Unit>) in .uniform(min: section.min, max: section.max) },
        Variant("normal") { (section: NormalSection<Unit>) in
          .normal(mean: section.mean, deviation: section.deviation)
        },
        Variant("lognormal") { (section: LognormalSection<Unit>) in
          .lognormal(median: section.median, p95: section.p95)
        },
        Variant("exponential") { (section: ExponentialSection<Unit>) in .exponential(mean: section.mean) },
        Variant("pareto") { (section: ParetoSection<Unit>) in .pareto(min: section.min, alpha: section.alpha) },
      ])
    return ValueCodec(.anyOf([quantity.schema, spread.schema]), show: { $0.shown(in: Unit.measure) }) {
      value, context in
      guard case .object = value.content else { return quantity.read(value, &context).map { .constant($0) } }
      guard let distribution = spread.read(value, &context) else { return nil }
      if let (message, remedy) = distribution.contradiction {
        context.refuse(.contradiction, value.position, message, remedy: remedy)
      }
      return distribution
    }
  }
}

extension Distribution {
  /// Contradictions between the parameters, beyond the limits of single keys.
  fileprivate var contradiction: (message: String, remedy: String)? {
    switch self {
    case .uniform(let min, let max) where min > max: ("min is larger than max", "swap them")
    case .lognormal(let median, _) where median <= 0: ("the median is 0", "write a median above 0")
    case .lognormal(let median, let p95) where p95 < median: ("p95 is smaller than the median", "swap them")
    case .pareto(let min, _) where min <= 0: ("min is 0", "write a min above 0")
    case .constant, .uniform, .normal, .lognormal, .exponential, .pareto: nil
    }
  }

  fileprivate func shown(in measure: QuantityKind) -> JSONValue? {
    if case .constant(let value) = self { .string(measure.text(value)) } else { nil }
  }
}
