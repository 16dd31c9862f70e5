/// What the records that a server has lost have in common and those that it has kept have not.
struct LossProfile {
  private struct Count {
    var lost = 0
    var kept = 0
  }

  private var counts: [String: Count] = [:]
  private(set) var lost = 0
  private(set) var kept = 0
  /// Lost, and listed under a device that is not theirs.
  var misplaced = 0

  private static let (shareOfLost, shareOfKept) = (0.9, 0.7)

  mutating func count(_ departure: Departure, of device: String, isLost: Bool) {
    if isLost { lost += 1 } else { kept += 1 }
    for trait in departure.traits(of: device) {
      if isLost { counts[trait, default: Count()].lost += 1 } else { counts[trait, default: Count()].kept += 1 }
    }
  }

  /// Nil when nothing is lost.
  var sentence: String? {
    guard lost > 0 else { return nil }
    var parts: [String] = []
    if kept == 0, lost > 1 {
      parts.append(
        "none of the \(lost) acknowledged records was found: see whether target.verify asks the right question")
    }
    if misplaced > 0 { parts.append("\(misplaced) of them are listed under another device") }
    parts += common.map { trait, count in
      "\(count.lost == lost ? "all" : "\(count.lost)") \(trait) (\(count.lost) of \(count.lost + count.kept) such records are lost)"
    }
    let text =
      parts.isEmpty
      ? "in kind, place in the request, repetition, instant and device they differ" : parts.joined(separator: "; ")
    return "the \(lost == 1 ? "lost record" : "\(lost) lost records"): \(text)"
  }

  /// The most telling first.
  private var common: [(trait: String, count: Count)] {
    guard kept > 0 else { return [] }
    let found = counts.filter { _, count in
      Double(count.lost) >= LossProfile.shareOfLost * Double(lost)
        && Double(count.kept) <= LossProfile.shareOfKept * Double(kept)
    }
    let order = found.sorted { ($0.value.kept, -$0.value.lost, $0.key) < ($1.value.kept, -$1.value.lost, $1.key) }
    return order.prefix(2).map { ($0.key, $0.value) }
  }
}

extension Departure {
  fileprivate func traits(of device: String) -> [String] {
    var traits = ["belong to \(device)"]
    traits.append(record.traits?.event.map { "have the event \($0)" } ?? "are plain locations")
    if let rows = answer?.rows, rows.count > 1, let place = rows.firstIndex(of: record.row) {
      traits.append(place == 0 ? "were the first of several in a request" : "were not the first of their request")
      if place == rows.count - 1 { traits.append("were the last of several in a request") }
    } else {
      traits.append("were alone in their request")
    }
    traits.append(record.attempts > 1 ? "were sent more than once" : "were sent once")
    if record.traits?.sharesInstant == true { traits.append("share their instant with another record of the device") }
    return traits
  }
}
