import Base
import Contract
import DeviceLog
import Vocabulary

/// The fences of a log, which shows when they were crossed but not where they are: a fence is placed by its first
/// crossing, around the last position before an exit, or around the position of an entry.
enum LoggedFences {
  static let radiusMetres = 200.0

  static func find(in facts: [LogFact]) -> [Geofence] {
    var found: [Geofence] = []
    for (index, fact) in facts.enumerated() {
      guard case .geofenceCrossing(let identifier, let isEntry) = fact.content,
        !found.contains(where: { $0.identifier == identifier })
      else { continue }
      let isIgnored = isIgnored(index, in: facts)
      let around = isEntry ? firstFix(in: facts[index...]) : firstFix(in: facts[..<index].reversed())
      let entry = entry(of: identifier, in: facts)
      guard let fix = entry?.fix ?? around ?? firstFix(in: facts) else { continue }
      var center = Coordinates(latitude: fix.coords.latitude, longitude: fix.coords.longitude)
      // No entry was seen: place it anywhere but on the route.
      if isIgnored && !isEntry && entry == nil { center = antipode(of: center) }
      var geofence = Geofence(
        identifier: identifier,
        shape: .circle(
          center: .init(latitude: center.latitude, longitude: center.longitude),
          radiusMetres: entry?.radiusMetres ?? radiusMetres))
      geofence.status.isInside = isEntry == isIgnored
      // The log shows when the device dwells.
      geofence.notifyOnDwell = facts.contains { $0.content == .geofenceDwell(identifier: identifier) }
      geofence.loiteringDelayMilliseconds = .greatestFiniteMagnitude
      found.append(geofence)
    }
    return found
  }

  /// Reports whether Android's SDK says, in the same entry, that it ignores the crossing because the device was there already.
  private static func isIgnored(_ index: Int, in facts: [LogFact]) -> Bool {
    guard index + 1 < facts.count, facts[index + 1].line == facts[index].line else { return false }
    if case .geofenceTrigger = facts[index + 1].content { return true }
    return false
  }

  private static func antipode(of place: Coordinates) -> Coordinates {
    Coordinates(latitude: -place.latitude, longitude: place.longitude + (place.longitude > 0 ? -180 : 180))
  }

  /// Android shows the position of an entry, and the size of the fence.
  private static func entry(of identifier: String, in facts: [LogFact]) -> (fix: Fix, radiusMetres: Double?)? {
    var isEntered = false
    for fact in facts {
      switch fact.content {
      case .geofenceCrossing(identifier, let isEntry): isEntered = isEntry
      case .geofenceTrigger(identifier, let fix, let radius) where isEntered: return (fix, radius)
      default: continue
      }
    }
    return nil
  }

  static func firstFix(in facts: some Sequence<LogFact>) -> Fix? {
    for fact in facts {
      switch fact.content {
      case .fix(let fix, _, _), .significantFix(let fix, _), .passiveFix(let fix): return fix
      default: continue
      }
    }
    return nil
  }
}
