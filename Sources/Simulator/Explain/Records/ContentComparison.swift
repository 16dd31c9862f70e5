import BackendStore
import Base

/// The extent to which a stored record was compared with what was sent.
package enum ComparedContent: Sendable {
  /// Completely.
  case whole
  /// Without these fields, which the store does not show, or not in a comparable form.
  case allBut([String])
  /// The fields that a log shows.
  case logged([String])
  /// Not at all: the store shows no content, or no source shows what was sent.
  case none

  /// The words after "stored once".
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

/// The comparison of a stored record with what was sent.
struct ContentComparison {
  private(set) var differences: [String] = []
  private(set) var compared = ComparedContent.none

  /// Fields that a store may change, because they belong to the request or its time.
  private static let passedOver: Set<String> = ["uuid", "age"]
  /// iOS logs have the time of a position in whole seconds, and some Android logs its age.
  private static let secondsOfLogs: Int64 = 2
  /// Logs contain positions with six decimals.
  private static let degreesOfLogs = 1.1e-6

  /// Fields that the store does not show are not judged.
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
      guard let mine = stored.value(field), !mine.isNothing, !StoredField.isUnreadableTime(mine, field),
        !Self.isInParts(mine, insteadOf: sent.double, field)
      else {
        return unseen.append(stored.value(field)?.isNull ?? false ? "\(field) (null)" : field)
      }
      count += 1
      if let difference = StoredField.difference(mine, sent, field) { differences.append(difference) }
    }
  }

  /// Whether a coordinate is stored in parts of a degree, which are not judged.
  private static func isInParts(_ stored: StoredValue, insteadOf sent: Double?, _ field: String) -> Bool {
    guard field == "coords.latitude" || field == "coords.longitude", let mine = stored.double, let sent else {
      return false
    }
    return StoredField.partsOfDegree(mine, insteadOf: sent) != nil
  }

  /// Compares with the position in a log, and with its time if the phone's zone is known.
  init(of stored: StoredRecord, with fix: RecordTrail.LoggedFix) {
    var fields: [String] = []
    if let time = fix.time, let value = stored.value("timestamp"), let mine = value.instant {
      fields.append("time")
      if mine.milliseconds(since: time).magnitude > UInt64(Self.secondsOfLogs) * 1_000 {
        differences.append("timestamp: \(value.shown) instead of \(time.iso8601Text), which the log shows")
      }
    }
    let (latitude, longitude) = (stored.value("coords.latitude"), stored.value("coords.longitude"))
    if let latitude, let longitude, !Self.isInParts(latitude, insteadOf: fix.place.latitude, "coords.latitude"),
      let latitude = latitude.double, let longitude = longitude.double
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
  /// Whether it is null or an empty object or list; many stores do not distinguish these from absence.
  fileprivate var isNothing: Bool {
    switch self {
    case .null: true
    case .object(let members): members.isEmpty
    case .list(let elements): elements.isEmpty
    case .bool, .number, .text: false
    }
  }
}
