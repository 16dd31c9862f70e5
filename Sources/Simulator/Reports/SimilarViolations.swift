import FleetSimulator

/// Violations of one invariant whose histories differ only in devices, records and numbers: one is shown, the others are named.
struct SimilarViolations {
  let first: ViolationStory
  private(set) var devices: [String] = []

  private static let devicesNamed = 8

  static func groups(of violations: [ViolationStory]) -> [SimilarViolations] {
    var groups: [SimilarViolations] = []
    var places: [String: Int] = [:]
    for violation in violations {
      let outline = outline(of: violation)
      if let place = places[outline] {
        groups[place].devices.append(violation.device)
      } else {
        places[outline] = groups.count
        groups.append(SimilarViolations(first: violation))
      }
    }
    return groups
  }

  /// The other devices, as a sentence; nil without others.
  var sentence: String? {
    guard !devices.isEmpty else { return nil }
    let names = devices.prefix(SimilarViolations.devicesNamed).joined(separator: ", ")
    let more = devices.count > SimilarViolations.devicesNamed ? ", …" : ""
    return "\(NumberText.count(devices.count, "more violation")) with the same story: \(names)\(more)"
  }

  /// Returns the history without this device's name, uuids and numbers.
  private static func outline(of violation: ViolationStory) -> String {
    let lines = [violation.invariant] + violation.story
    return lines.map { line in
      line.split(separator: " ").map { $0.contains(where: \.isNumber) ? "#" : String($0) }.joined(separator: " ")
    }.joined(separator: "\n")
  }
}
