import Contract
import FoundationEssentials
import JSON

/// Conversions between the JSON trees of this package and the dictionaries of the SDK's API.
extension JSONValue {
  /// Converts nil, Bool, any integer, Float, Double, String, Date (to its ISO 8601 text), arrays and dictionaries of
  /// these, and Foundation's NSNull. Nil for anything else, for numbers that are not finite, and for values nested so deep
  /// that a record or a configuration with them could not be read. The keys of a dictionary are sorted, so that the same dictionary
  /// always gives the same text.
  init?(any value: Any) { self.init(any: value, depth: 0) }

  fileprivate init?(any value: Any, depth: Int) {
    guard depth <= JSONValue.depthMost else { return nil }
    switch value {
    case let value as JSONValue: self = value
    // A Foundation number that is 0 or 1 casts to Bool too; one created from a Bool has another class.
    case _ where String(describing: type(of: value)) == "NSNumber": self.init(foundation: value)
    case let flag as Bool: self = .bool(flag)
    case let text as String: self = .string(text)
    case let date as Date: self = .string(date.iso8601Text)
    case let number as Double:
      guard number.isFinite else { return nil }
      self = .double(number)
    case let number as Float:
      guard number.isFinite else { return nil }
      self = .double(Double(number))
    case let number as any BinaryInteger:
      guard let integer = Int64(exactly: number) else { return nil }
      self = .integer(integer)
    case let dictionary as [String: Any]:
      guard let object = JSONObject(any: dictionary, depth: depth) else { return nil }
      self = .object(object)
    case let elements as [Any]:
      var array: [JSONValue] = []
      for element in elements {
        guard let value = JSONValue(any: element, depth: depth + 1) else { return nil }
        array.append(value)
      }
      self = .array(array)
    case Optional<Any>.none: self = .null
    // Foundation, which declares it, is not linked here.
    case _ where String(describing: type(of: value)) == "NSNull": self = .null
    default: return nil
    }
  }

  /// What contains the value has a few levels of its own.
  private static let depthMost = JSONLimits.standard.maxDepth - 6

  /// Converts an NSNumber; one with a fraction, or created from a Double, shows that in its text.
  private init?(foundation number: Any) {
    if let integer = number as? Int64, !String(describing: number).contains(".") {
      self = .integer(integer)
    } else {
      guard let double = number as? Double, double.isFinite else { return nil }
      self = .double(double)
    }
  }

  /// Bool, Int, Double, String, `[Any]` or `[String: Any]`; nil for null.
  var any: Any? {
    switch self {
    case .null: nil
    case .bool(let flag): flag
    case .integer(let number): Int(number)
    case .double(let number): number
    case .string(let text): text
    case .array(let elements): elements.map(\.element)
    case .object(let object): object.dictionary
    }
  }

  /// The same as an element of a list, which may be nil.
  var element: Any { any ?? Any?.none as Any }

  /// The number, which may be an integer too.
  var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }
}

extension JSONObject {
  /// Nil when JSON cannot represent one of the values.
  init?(any dictionary: [String: Any]) { self.init(any: dictionary, depth: 0) }

  fileprivate init?(any dictionary: [String: Any], depth: Int) {
    self.init()
    for key in dictionary.keys.sorted() {
      guard let value = dictionary[key].flatMap({ JSONValue(any: $0, depth: depth + 1) }) else { return nil }
      self[key] = value
    }
  }

  /// The members without those that are null, which the SDK's dictionaries never contain.
  var dictionary: [String: Any] {
    var dictionary: [String: Any] = [:]
    for member in members { dictionary[member.key] = member.value.any }
    return dictionary
  }
}

extension JSONObject {
  /// Like `dictionary`, but measurements are always `Double`, even without a fraction in their text: Swift has no
  /// NSNumber here that is both.
  var recordDictionary: [String: Any] {
    var dictionary = self.dictionary
    measure(["odometer", "odometer_error"], in: &dictionary)
    if case .object(let coords)? = self["coords"] {
      var members = coords.dictionary
      let measures = coords.members.map(\.key).filter { $0 != "floor" }
      coords.measure(measures, in: &members)
      dictionary["coords"] = members
    }
    if case .object(let battery)? = self["battery"] {
      var members = battery.dictionary
      battery.measure(["level"], in: &members)
      dictionary["battery"] = members
    }
    return dictionary
  }

  private func measure(_ keys: [String], in dictionary: inout [String: Any]) {
    for key in keys { if let number = self[key]?.double { dictionary[key] = number } }
  }
}

extension JSONObject {
  /// The same for a configuration, or a state that contains one: values that are `Double` in the API are `Double` here.
  var configurationDictionary: [String: Any] {
    let keys = ConfigurationTable.all.filter { $0.isReal && $0.path != "http.timeout" }
    func names(_ group: ConfigurationGroup) -> [String] { keys.filter { $0.group == group }.map(\.name) }
    var dictionary = self.dictionary
    measure(keys.compactMap(\.flatName), in: &dictionary)
    for group in ConfigurationGroup.topLevel {
      guard case .object(let object)? = self[group.rawValue] else { continue }
      var members = object.dictionary
      object.measure(names(group), in: &members)
      if case .object(let filter)? = object["filter"] {
        var limits = filter.dictionary
        filter.measure(names(.filter), in: &limits)
        members["filter"] = limits
      }
      dictionary[group.rawValue] = members
    }
    return dictionary
  }
}

/// Finds values that JSON cannot represent.
enum UnusableValue {
  /// Returns the path of the first one, such as `trip.stops[2]`; nil when there is none.
  static func path(in dictionary: [String: Any]) -> String? {
    for key in dictionary.keys.sorted() {
      guard let value = dictionary[key], JSONValue(any: value) == nil else { continue }
      return key + rest(in: value)
    }
    return nil
  }

  private static func rest(in value: Any) -> String {
    if let dictionary = value as? [String: Any] { return path(in: dictionary).map { ".\($0)" } ?? "" }
    guard let elements = value as? [Any], let index = elements.firstIndex(where: { JSONValue(any: $0) == nil })
    else { return "" }
    return "[\(index)]" + rest(in: elements[index])
  }
}
