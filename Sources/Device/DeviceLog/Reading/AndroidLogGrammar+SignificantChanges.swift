import Base
import Contract
import Vocabulary

/// `useSignificantChangesOnly` has classes of its own since 4.1.4, with names that are not obfuscated.
extension AndroidLogGrammar {
  static func significant(_ message: AndroidMessage, _ entry: LogLines) -> [LogFact.Content]? {
    var scanner = message.scanner
    if scanner.pass("SLC Location[") {
      _ = scanner.word()
      guard scanner.skip(" "), let inner = scanner.upTo("]"), let short = AndroidPlace.short(inner, at: entry.time)
      else {
        return nil
      }
      return [.significantFix(short.fix, ageMilliseconds: short.ageMilliseconds)]
    }
    if scanner.pass("Passive location: ") {
      return AndroidPlace.short(scanner.rest, at: entry.time).map { [.passiveFix($0.fix)] }
    }
    if scanner.pass("SLC moving geofence EXIT @ ") {
      return AndroidPlace.short(scanner.rest, at: entry.time).map { [.movingGeofenceExit($0.fix)] }
    }
    if ["SLC NOISE", "SLC REJECTED"].contains(where: { message.text.contains($0) }) { return [.significantFixDropped] }
    let failures = [
      "SLC stationary check: rejecting stale fix", "isMoving state updated without event",
      "no location; transition deferred",
    ]
    return failures.contains { message.text.contains($0) } ? [.motionChangeFailed] : nil
  }

  /// What the system said of a fence, with what became of it. An exit or entry that was ignored was said all the same.
  static func crossings(_ message: AndroidMessage, _ entry: LogLines) -> [LogFact.Content] {
    guard let title = message.title else { return [] }
    var scanner = TextScanner(title)
    if scanner.skip("Geofencing Event: ") {
      // Older versions have the position first.
      guard let row = message.rows.first(where: { !$0.contains("=") && !$0.contains("📍") }) else { return [] }
      let (identifier, action) = (String(row), String(scanner.word()))
      let event = LogFact.Content.geofenceEvent(identifier: identifier, action: action)
      guard action != "DWELL" else { return [.geofenceDwell(identifier: identifier), event] }
      return [.geofenceCrossing(identifier: identifier, isEntry: action == "ENTER"), event]
    }
    if scanner.skip("Trigger vs Geofence center: ") {
      guard let fix = trigger(message, entry) else { return [] }
      var body = message.scanner
      return [
        .geofenceTrigger(identifier: String(scanner.rest), fix, radiusMetres: body.number(after: " radius="))
      ]
    }
    let isEntry = title.hasPrefix("Ignoring duplicate geofence ENTER")
    guard isEntry || title.hasPrefix("Ignoring spurious geofence EXIT"),
      let identifier = message.rows.first(where: { $0.hasPrefix("id=") })?.dropFirst(3)
    else { return [] }
    let crossing = LogFact.Content.geofenceCrossing(identifier: String(identifier), isEntry: isEntry)
    guard let fix = trigger(message, entry) else { return [crossing] }
    return [crossing, .geofenceTrigger(identifier: String(identifier), fix, radiusMetres: nil)]
  }

  private static func trigger(_ message: AndroidMessage, _ entry: LogLines) -> Fix? {
    var scanner = message.scanner
    guard scanner.pass("Trigger=") else { return nil }
    guard var fix = AndroidPlace.first(in: scanner.rest, at: entry.time) else { return nil }
    if let age = scanner.number(after: "triggerAge=").flatMap({ Int64(exactly: $0.rounded()) }) {
      fix.timestamp = entry.time.advanced(byMilliseconds: -age)
    }
    return fix
  }
}
