import Base
internal import JSON

extension Form where Value == Distribution {
  /// A quantity alone, or an object with `dist`.
  static func distribution<Unit: DistributionUnit>(_ unit: Unit.Type) -> Form {
    let quantity = Form<Double>.quantity(Unit.measure)
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
    return Form(.anyOf([quantity.shape, spread.shape]), show: { $0.shown(in: Unit.measure) }) { value, reading in
      guard case .object = value.content else { return quantity.read(value, &reading).map { .constant($0) } }
      guard let distribution = spread.read(value, &reading) else { return nil }
      if let (message, remedy) = distribution.contradiction {
        reading.refuse(.contradiction, value.position, message, remedy: remedy)
      }
      return distribution
    }
  }
}

extension Distribution {
  /// What the bounds of single keys cannot say.
  fileprivate var contradiction: (message: String, remedy: String)? {
    switch self {
    case .uniform(let min, let max) where min > max: ("min is larger than max", "exchange them")
    case .lognormal(let median, _) where median <= 0: ("the median is 0", "write a median above 0")
    case .lognormal(let median, let p95) where p95 < median: ("p95 is smaller than the median", "exchange them")
    case .pareto(let min, _) where min <= 0: ("min is 0", "write a min above 0")
    case .constant, .uniform, .normal, .lognormal, .exponential, .pareto: nil
    }
  }

  fileprivate func shown(in measure: Measure) -> JSONValue? {
    if case .constant(let value) = self { .string(measure.text(value)) } else { nil }
  }
}
