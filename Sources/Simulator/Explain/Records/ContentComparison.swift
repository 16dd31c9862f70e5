import BackendStore
import Base

/// How much of a stored record was compared with what was sent.
package enum ComparedContent: Sendable {
  /// All of it.
  case whole
  /// All but these fields, which the store does not show, or not so that they can be compared.
  case allBut([String])
  /// What a log shows of it.
  case logged([String])
  /// Nothing: the store shows nothing of it, or no source tells what was sent.
  case none

  /// Behind "stored once".
  var words: String {
    switch self {
    case .whole: " as sent"
    case .allBut(let fields): " as sent, except \(ComparedContent.list(fields)), not compared"
    case .logged(let fields): "; \(fields.joined(separator: " and ")) as the log shows them; other content not compared"
    case .none: "; content not compared"
    }
  }

  static func list(_ fields: [String]) -> String {
    let more = fields.count > namedMax ? " and \(fields.count - namedMax) more" : ""
    return fields.prefix(namedMax).joined(separator: ", ") + more
  }

  private static let namedMax = 4
}

/// A stored record beside what is known of what was sent.
struct ContentComparison {
  private(set) var differences: [String] = []
  private(set) var compared = ComparedContent.none

  /// What a store may well change: it belongs to the request or to the phone's moment, not to the record.
  private static let passedOver: Set<String> = ["uuid", "age"]
  /// Logs of iOS have the time of a position in whole seconds, and some of Android have its age so.
  private static let secondsOfLogs: Int64 = 2
  /// A log tells where a position was with six decimals.
  private static let degreesOfLogs = 1.1e-6

  /// Nothing is said of fields that the store does not show.
  init(of stored: StoredRecord, with sent: StoredValue) {
    guard case .object(let members) = sent else { return }
    var (count, unseen): (Int, [String]) = (0, [])
    for member in members where !Self.passedOver.contains(member.key) {
      if case .object(let inner) = member.value, member.key != "extras" {
        for field in inner { compare("\(member.key).\(field.key)", field.value) }
      } else {
        compare(member.key, member.value)
      }
    }
    compared = unseen.isEmpty ? .whole : count > 0 ? .allBut(unseen) : .none

    func compare(_ field: String, _ sent: StoredValue) {
      guard !sent.isNothing else { return }
      guard let mine = stored.value(field), !mine.isNothing, !StoredField.isUnreadableTime(mine, field) else {
        return unseen.append(stored.value(field)?.isNull ?? false ? "\(field) (null)" : field)
      }
      count += 1
      if let difference = StoredField.difference(mine, sent, field) { differences.append(difference) }
    }
  }

  /// With the position that a log shows, and its time where the phone's zone is known.
  init(of stored: StoredRecord, with fix: RecordTrail.LoggedFix) {
    var fields: [String] = []
    if let time = fix.time, let value = stored.value("timestamp"), let mine = value.instant {
      fields.append("time")
      if mine.milliseconds(since: time).magnitude > UInt64(Self.secondsOfLogs) * 1_000 {
        differences.append("timestamp: \(value.shown) instead of \(time.iso8601Text), which the log shows")
      }
    }
    if let latitude = stored.value("coords.latitude")?.double,
      let longitude = stored.value("coords.longitude")?.double
    {
      fields.append("coordinates")
      let place = fix.place
      if abs(latitude - place.latitude) > Self.degreesOfLogs || abs(longitude - place.longitude) > Self.degreesOfLogs {
        differences.append(
          "coords: \(latitude), \(longitude) instead of \(place.latitude), \(place.longitude), which the log shows")
      }
    }
    compared = fields.isEmpty ? .none : .logged(fields)
  }
}

extension StoredValue {
  /// Null, and an object or a list without content: many stores do not tell these apart from what is not there.
  fileprivate var isNothing: Bool {
    switch self {
    case .null: true
    case .object(let members): members.isEmpty
    case .list(let elements): elements.isEmpty
    case .bool, .number, .text: false
    }
  }
}
