package import JSON

/// What a device fills in for `${device.id}` and its like, wherever they stand in what its app says to the SDK.
package struct DevicePlaceholders: Sendable {
  private let values: [String]

  /// In the order of `values`.
  static let names = ["device.id", "device.index", "device.fleet", "run.seed"]
  /// Those that are the same for all devices of a fleet.
  static let namesOfFleets = ["device.fleet", "run.seed"]

  /// `index` is the place of the device in its fleet.
  package init(id: String, index: Int, fleet: String, seed: UInt64) {
    values = [id, "\(index)", fleet, "0x" + String(seed, radix: 16)]
  }

  /// Of a device as those of scenarios are called: `cars-7`.
  package init(fleet: String, index: Int, seed: UInt64) {
    self.init(id: "\(fleet)-\(index)", index: index, fleet: fleet, seed: seed)
  }

  /// Of the device with such a name.
  package init(named name: String, seed: UInt64) {
    let dash = name.lastIndex(of: "-") ?? name.endIndex
    self.init(id: name, index: Int(name[dash...].dropFirst()) ?? 0, fleet: String(name[..<dash]), seed: seed)
  }

  /// Some device's, for what is looked at before there are any.
  static let example = DevicePlaceholders(fleet: "fleet", index: 0, seed: 1)

  /// Whether devices differ in this text.
  package static func stand(in text: String) -> Bool { example.fill(text) != text }

  package static func stand(in value: JSONValue) -> Bool { example.fill(value) != value }

  /// `$${device.id}` stands for `${device.id}`.
  package func fill(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      let tail = rest[start.upperBound...]
      guard let place = DevicePlaceholders.names.firstIndex(where: { tail.hasPrefix($0 + "}") }) else {
        result += rest[..<start.upperBound]
        rest = tail
        continue
      }
      let name = DevicePlaceholders.names[place]
      let before = rest[..<start.lowerBound]
      result += before
      result += before.hasSuffix("$") ? "{\(name)}" : values[place]
      rest = tail.dropFirst(name.count + 1)
    }
    return result + rest
  }

  /// Every text in the value, not the keys.
  package func fill(_ value: JSONValue) -> JSONValue {
    switch value {
    case .null, .bool, .integer, .double: return value
    case .string(let text): return .string(fill(text))
    case .array(let elements): return .array(elements.map(fill))
    case .object(let object):
      var filled = JSONObject()
      for member in object.members { filled[member.key] = fill(member.value) }
      return .object(filled)
    }
  }
}
