import Base
import World

/// When trips begin: a rate over time, in straight lines, and how they are spread.
struct Arrivals {
  /// Trips a second.
  let lines: [Ramp.Line]
  let isPoisson: Bool

  /// Seconds since the beginning, in order, before `end`; the last rate stays. Of each line there come exactly as many as
  /// its rate says, rounded; by chance they are as far apart as those of a Poisson process of which that number is known:
  /// uniform draws, sorted.
  func seconds(before end: Double, from stream: RandomStream) -> [Double] {
    var stream = stream
    var result: [Double] = []
    var (begin, expected) = (0.0, 0.0)
    var rest = lines
    rest.append(Ramp.Line(seconds: end, first: lines.last?.last ?? 0, last: lines.last?.last ?? 0))
    for line in rest where begin < end && line.seconds > 0 {
      let length = min(line.seconds, end - begin)
      let last = line.first + (line.last - line.first) * length / line.seconds
      let sum = 0.5 * (line.first + last) * length
      let count = Int((expected + sum).rounded()) - Int(expected.rounded())
      let fractions =
        isPoisson
        ? (0..<count).map { _ in stream.uniform() }.sorted() : (0..<count).map { (Double($0) + 0.5) / Double(count) }
      for fraction in fractions {
        result.append(begin + Arrivals.time(of: fraction * sum, first: line.first, last: last, length))
      }
      expected += sum
      begin += length
    }
    return result
  }

  /// When so many have come, at a rate that goes from `first` to `last`: first t + (last − first) t² / 2 length = count.
  private static func time(of count: Double, first: Double, last: Double, _ length: Double) -> Double {
    let slope = (last - first) / length
    let root = max(first * first + 2 * slope * count, 0).squareRoot()
    // This form of the solution has no difference of equal numbers and needs no slope.
    return first + root > 0 ? min(2 * count / (first + root), length) : 0
  }
}
