import Base

/// How values become heights, between two round values, with round values at the lines of the grid.
struct ChartScale {
  enum Kind { case linear, logarithmic }

  private let kind: Kind
  private let least: Double
  private let greatest: Double
  /// From the bottom to the top, both included.
  let levels: [Double]

  init(_ kind: Kind, of values: [Double]) {
    self.kind = kind
    let highest = values.max().flatMap { $0 > 0 ? $0 : nil } ?? 1
    switch kind {
    case .linear:
      greatest = ChartScale.round(highest)
      least = 0
      levels = [0, 0.5 * greatest, greatest]
    case .logarithmic:
      let spans = ChartScale.roundMilliseconds
      let lowest = values.filter { $0 > 0 }.min() ?? highest / 10
      let first = max((spans.firstIndex { $0 > lowest } ?? spans.count) - 1, 0)
      let last = max(spans.firstIndex { $0 >= highest } ?? spans.count - 1, min(first + 2, spans.count - 1))
      (least, greatest) = (spans[first], spans[last])
      levels = ChartScale.thinned(Array(spans[first...last]))
    }
  }

  /// 0 at the bottom, 1 at the top.
  func share(of value: Double) -> Double {
    let share =
      kind == .linear
      ? value / greatest : PortableMath.log(max(value, least) / least) / PortableMath.log(greatest / least)
    return min(max(share, 0), 1)
  }

  /// The next 1, 2, 2.5 or 5 times a power of ten.
  private static func round(_ value: Double) -> Double {
    var power = 1.0
    while power * 10 <= value { power *= 10 }
    while power > value { power /= 10 }
    for step in [1.0, 2, 2.5, 5, 10] where step * power >= value { return step * power }
    return 10 * power
  }

  /// Round for people: beyond a minute, minutes and hours are.
  private static let roundMilliseconds: [Double] = {
    let short: [Double] = [0.01, 0.1, 1, 10, 100, 1_000].flatMap { power in [1.0, 2, 5].map { $0 * power } }
    let long: [Double] = [
      10, 20, 60, 120, 300, 600, 1_200, 3_600, 7_200, 18_000, 36_000, 86_400, 259_200, 864_000, 8_640_000,
    ]
    return short + long.map { 1_000 * $0 }
  }()

  /// At most four, with both ends.
  private static func thinned(_ levels: [Double]) -> [Double] {
    guard levels.count > 4 else { return levels }
    let last = levels.count - 1
    return [0, last / 3, 2 * last / 3, last].map { levels[$0] }
  }
}
