import Base

/// How far two courses agree in one class.
package struct Agreement: Equatable, Sendable {
  package let kind: FidelityClass
  package private(set) var matched = 0
  /// In the log only.
  package private(set) var missing: [Happening] = []
  /// Of our engine only.
  package private(set) var extra: [Happening] = []

  /// Both sides may be so far apart in time: a real device works on while it writes, and a request for a position may
  /// be fulfilled a sample or two earlier.
  package static let windowMilliseconds: Int64 = 5_000

  /// Each happening of the log is matched with the first of ours that is the same and near enough.
  init(_ kind: FidelityClass, logged: [Happening], replayed: [Happening]) {
    self.kind = kind
    var rest = replayed.filter { $0.kind == kind }
    for happening in logged where happening.kind == kind {
      let index = rest.firstIndex {
        $0.what == happening.what
          && abs($0.time.milliseconds(since: happening.time)) <= Agreement.windowMilliseconds
      }
      if let index {
        rest.remove(at: index)
        matched += 1
      } else {
        missing.append(happening)
      }
    }
    extra = rest
  }

  /// Nil when nothing happened on either side: then there is nothing to agree about.
  package var share: Double? {
    let all = matched + missing.count + extra.count
    return all == 0 ? nil : Double(matched) / Double(all)
  }
}
