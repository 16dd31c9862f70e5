import Base

/// `{ dist: "uniform", min, max }`.
struct UniformSection<Unit: DistributionUnit>: ScenarioSection {
  var min = 0.0
  var max = 0.0

  static var table: Table<Self> {
    Table(
      "uniform-\(Unit.word)", "Every value between two bounds is as likely as any other.",
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
      "normal-\(Unit.word)", "The bell curve, cut at 0.",
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
      "exponential-\(Unit.word)", "Waiting times between events that know nothing of one another.",
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
      "constant-\(Unit.word)", "Always the same; the value may also stand alone.",
      [.required("value", \.value, .quantity(Unit.measure), "The value.")])
  }
}
