/// Finds the known name that is nearest to a mistyped one.
package enum NearestName {
  /// Returns the candidate with the fewest typing errors, ignoring case; the first of several. Nil when even the best differs
  /// by more than a third of the longer name.
  package static func find(_ name: String, in candidates: [String]) -> String? {
    let typed = Array(name.lowercased().unicodeScalars)
    // A longer "name" is not a typing error, and comparing it costs its length for every candidate.
    guard !typed.isEmpty, typed.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let wanted = Array(candidate.lowercased().unicodeScalars)
      let distance = distance(typed, wanted)
      let isNear = distance <= max(1, max(typed.count, wanted.count) / 3)
      if isNear && distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// Returns the number of letters to insert, remove, replace or swap with their neighbour: the optimal string alignment
  /// distance, row by row.
  static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
        var cost = min(replaced, previous[column + 1] + 1, current[column] + 1)
        let isExchange =
          row > 0 && column > 0 && left[row] == right[column - 1] && left[row - 1] == right[column]
        if isExchange { cost = min(cost, beforePrevious[column - 1] + 1) }
        current.append(cost)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count]
  }
}
