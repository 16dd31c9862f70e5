import Base
import Contract
import DeviceLog
import Vocabulary

/// The fences of a log. It tells when they were crossed and not where they are: a fence is put where its first crossing
/// says, around the last position before an exit, or around the position that an entry led to.
enum LoggedFences {
  static let radiusMetres = 200.0

  static func find(in facts: [LogFact]) -> [Geofence] {
    var found: [Geofence] = []
    for (index, fact) in facts.enumerated() {
      guard case .geofenceCrossing(let identifier, let isEntry) = fact.content,
        !found.contains(where: { $0.identifier == identifier }),
        let fix = isEntry ? firstFix(in: facts[index...]) : firstFix(in: facts[..<index].reversed())
      else { continue }
      var geofence = Geofence(
        identifier: identifier,
        shape: .circle(
          center: .init(latitude: fix.coords.latitude, longitude: fix.coords.longitude),
          radiusMetres: radiusMetres))
      geofence.status.isInside = !isEntry
      found.append(geofence)
    }
    return found
  }

  static func firstFix(in facts: some Sequence<LogFact>) -> Fix? {
    for case .fix(let fix, _, _) in facts.lazy.map(\.content) { return fix }
    return nil
  }
}
