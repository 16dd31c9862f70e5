import Base
import Contract
import JSON

/// The form that an app's template gives to records: the keys of an object, or the length of an array, each with the extras
/// (PersistenceConfig `locationTemplate`, `geofenceTemplate`; SDK §7.5).
struct ExpectedTemplate {
  private enum Form {
    case object(keys: Set<String>)
    case array(count: Int)
  }

  private let form: Form

  /// The tags whose values are JSON without quotes, and those whose values are one text in quotes.
  private static let bare: Set<String> = [
    "latitude", "longitude", "speed", "heading", "accuracy", "altitude", "altitude_accuracy", "speed_accuracy",
    "heading_accuracy", "ellipsoidal_altitude", "odometer", "odometer_error", "age", "is_moving", "activity.confidence",
    "battery.level", "battery.is_charging", "extras", "geofence.extras", "timestampMeta",
  ]
  private static let quoted: Set<String> = [
    "timestamp", "recorded_at", "uuid", "event", "activity.type", "geofence.identifier", "geofence.action",
  ]
  private static let objects: Set<String> = ["extras", "geofence.extras", "timestampMeta"]

  /// Nil for the empty text, and for a template that may give no JSON, with which the default schema counts (SDK §7.5.1).
  init?(_ text: String, ofGeofences: Bool) {
    guard let example = ExpectedTemplate.example(text, ofGeofences: ofGeofences) else { return nil }
    let bytes = Array(example.utf8)
    do throws(JSONError) {
      switch try JSONValue(parsing: bytes.span) {
      case .object(let object): form = .object(keys: Set(object.members.map(\.key)))
      case .array(let elements): form = .array(count: elements.count)
      case .null, .bool, .integer, .double, .string: return nil
      }
    } catch { return nil }
  }

  /// Returns the text with a 0 for each tag; nil where a value may break it.
  private static func example(_ text: String, ofGeofences: Bool) -> String? {
    var (example, rest) = ("", text[...])
    while let opening = rest.firstRange(of: "<%=") {
      guard let closing = rest[opening.upperBound...].firstRange(of: "%>") else { return nil }
      example += rest[..<opening.lowerBound]
      let name = rest[opening.upperBound..<closing.lowerBound].filter { $0 != " " }
      let isQuoted = endsInQuotes(example)
      guard isQuoted ? (bare.contains(name) && !objects.contains(name)) || quoted.contains(name) : bare.contains(name)
      else { return nil }
      if name.hasPrefix("geofence.") && !ofGeofences { return nil }
      example += "0"
      rest = rest[closing.upperBound...]
    }
    return example + String(rest)
  }

  /// Reports whether the end of a JSON text is inside a string.
  private static func endsInQuotes(_ text: String) -> Bool {
    var (isInside, isEscaped) = (false, false)
    for character in text.utf8 {
      if isEscaped {
        isEscaped = false
      } else if character == UInt8(ascii: "\\") {
        isEscaped = isInside
      } else if character == UInt8(ascii: "\"") {
        isInside.toggle()
      }
    }
    return isInside
  }

  /// Returns how a record differs from the form, as half a sentence; nil where it does not.
  func fault(of record: [UInt8], extras: RenderedObject) -> String? {
    do throws(JSONError) {
      switch (form, try JSONValue(parsing: record.span, reading: .lenient)) {
      case (.object(let keys), .object(let object)):
        let found = Set(object.members.map(\.key))
        if let key = keys.subtracting(found).min() { return "lacks '\(key)' of its template" }
        return try found.subtracting(keys).subtracting(ExpectedTemplate.keys(of: extras)).min().map {
          "has '\($0)', which its template has not"
        }
      case (.array(let count), .array(let elements)):
        let most = try ExpectedTemplate.keys(of: extras).isEmpty ? count : count + 1
        return (count...most).contains(elements.count) ? nil : "has \(elements.count) elements, its template \(count)"
      case (.object, _), (.array, _): return "has not the form of its template"
      }
    } catch { return "is not JSON" }
  }

  private static func keys(of extras: RenderedObject) throws(JSONError) -> Set<String> {
    var text: [UInt8] = []
    extras.append(to: &text)
    guard case .object(let object) = try JSONValue(parsing: text.span, reading: .lenient) else { return [] }
    return Set(object.members.map(\.key))
  }
}
