/// Makes a list that fails small: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
/// IEEE Transactions on Software Engineering 28 (2002). What is left fails, and fails no more when any one element is
/// taken away, as long as the test has patience.
enum DeltaDebugging {
  static func reduce<Element>(
    _ elements: [Element], _ stillFails: ([Element]) throws -> Bool
  ) rethrows -> [Element] {
    var rest = elements
    if rest.isEmpty { return rest }
    if try stillFails([]) { return [] }
    var parts = 2
    while rest.count >= 2 {
      if let smaller = try smaller(rest, in: parts, stillFails) {
        parts = smaller.isOnePart ? 2 : max(2, parts - 1)
        rest = smaller.elements
      } else if parts < rest.count {
        parts = min(rest.count, 2 * parts)
      } else {
        break
      }
    }
    return rest
  }

  /// One part alone, or all but one part.
  private static func smaller<Element>(
    _ elements: [Element], in parts: Int, _ stillFails: ([Element]) throws -> Bool
  ) rethrows -> (elements: [Element], isOnePart: Bool)? {
    let bounds = (0...parts).map { $0 * elements.count / parts }
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      let part = Array(elements[start..<end])
      if try stillFails(part) { return (part, true) }
    }
    guard parts > 2 else { return nil }
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      let others = Array(elements[..<start] + elements[end...])
      if try stillFails(others) { return (others, false) }
    }
    return nil
  }
}
