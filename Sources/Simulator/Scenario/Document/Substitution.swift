internal import Base
package import JSON

/// Substitutes `${NAME}` and `${NAME:-default}` in every text, as a shell would. Names of variables are upper-case;
/// `${device.id}` and similar placeholders (`DevicePlaceholders`) are kept where devices fill them in, and are mistakes
/// elsewhere. `$${` is an escape for `${`.
struct Substitution {
  private let variable: (String) -> String?
  /// Whether every text may have come from a variable, because the document was substituted before.
  private let marksAll: Bool
  /// Paths where devices fill in placeholders, beside those of scenarios.
  private let devicesFillIn: [[String]]
  private(set) var problems: [ScenarioError] = []
  private var path = ""
  private var steps: [String] = []

  init(
    variable: @escaping (String) -> String?, marksAll: Bool = false, devicesFillIn: [[String]] = []
  ) {
    self.devicesFillIn = devicesFillIn
    self.variable = variable
    self.marksAll = marksAll
  }

  mutating func replace(in value: inout JSON5Value) {
    switch value.content {
    case .null, .bool, .integer, .double: break
    case .string(let text):
      let expanded = expand(text, at: value.position)
      if expanded != text || marksAll {
        value.content = .string(expanded)
        value.isSubstituted = true
      }
    case .array(var elements):
      for index in elements.indices {
        let step = "[\(index)]"
        inside(step, step) { $0.replace(in: &elements[index]) }
      }
      value.content = .array(elements)
    case .object(var members):
      for index in members.indices {
        inside(members[index].key.asPathStep, members[index].key) { $0.replace(in: &members[index].value) }
      }
      value.content = .object(members)
    }
  }

  private mutating func inside(_ step: String, _ name: String, _ body: (inout Substitution) -> Void) {
    let outer = path
    path = step.hasPrefix("[") || path.isEmpty ? path + step : "\(path).\(step)"
    steps.append(name)
    body(&self)
    steps.removeLast()
    path = outer
  }

  /// The placeholders that devices fill in at the current path: in what their app passes to the SDK, and in the
  /// properties of their requests.
  private var placeholdersHere: [String] {
    if devicesFillIn.contains(where: { steps.starts(with: $0) }) { return DevicePlaceholders.names }
    if steps.starts(with: ["sdk", "config"]) || steps.starts(with: ["target", "headers"])
      || steps.starts(with: ["target", "verify", "headers"]) || steps == ["target", "url"]
    {
      return DevicePlaceholders.names
    }
    guard steps.count > 2, steps[0] == "fleets" else { return [] }
    if steps[2] == "config" || steps[2...].starts(with: ["sdk", "config"]) { return DevicePlaceholders.names }
    return steps[2] == "tags" ? DevicePlaceholders.namesOfFleets : []
  }

  private mutating func expand(_ text: String, at position: SourcePosition) -> String {
    var result = ""
    var rest = Substring(text)
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix("$${") {
        // Before the name of a placeholder the escape is kept, for the device to resolve.
        result += DevicePlaceholders.names.contains { rest.dropFirst(3).hasPrefix($0 + "}") } ? "$${" : "${"
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("${") {
        guard let end = rest.firstIndex(of: "}") else {
          refuse(position, "'${' without '}'", remedy: "close it, or write '$${' for the letters themselves")
          return text
        }
        result += value(of: rest[rest.index(rest.startIndex, offsetBy: 2)..<end], at: position)
        rest = rest[rest.index(after: end)...]
      } else {
        result += "$"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  private mutating func value(of reference: Substring, at position: SourcePosition) -> String {
    let name = String(reference.prefix { $0 != ":" })
    if name.contains(".") {
      judge(name, isWhole: name == reference, at: position)
      return "${\(reference)}"
    }
    let isName = name.utf8.allSatisfy {
      (0x41...0x5A).contains($0) || $0 == 0x5F || (0x30...0x39).contains($0)
    }
    let tail = reference.dropFirst(name.count)
    guard isName, !name.isEmpty, tail.isEmpty || tail.hasPrefix(":-") else {
      refuse(position, "'${\(reference)}' is not a variable", remedy: "write ${NAME} or ${NAME:-default}")
      return "${\(reference)}"
    }
    // As in a shell, an empty variable takes the default, too.
    if let found = variable(name), !found.isEmpty || tail.isEmpty { return found }
    if !tail.isEmpty { return String(tail.dropFirst(2)) }
    refuse(position, "the variable \(name) is not set", remedy: "set it, or write ${\(name):-default}")
    return "${\(reference)}"
  }

  private mutating func judge(_ placeholder: String, isWhole: Bool, at position: SourcePosition) {
    let names = DevicePlaceholders.names
    let here = placeholdersHere
    if !names.contains(placeholder) {
      let near = NearestName.find(placeholder, in: names).map { "did you mean '\($0)'?" }
      refuse(
        position, "no placeholder '\(placeholder)'", remedy: near ?? "there is: \(names.joined(separator: ", "))")
    } else if !isWhole {
      refuse(position, "a placeholder has no default", remedy: "write ${\(placeholder)}")
    } else if !here.contains(placeholder) {
      refuse(
        position, "${\(placeholder)} cannot be used here",
        remedy: here.isEmpty
          ? "it belongs in sdk.config, in the config of a fleet, in target.headers or target.url; $${ stands for ${"
          : "this is the same for a whole fleet: \(here.map { "${\($0)}" }.joined(separator: " or "))")
    }
  }

  private mutating func refuse(_ position: SourcePosition, _ message: String, remedy: String) {
    problems.append(ScenarioError(.unresolved, at: position, path: path, message, remedy: remedy))
  }
}

/// The values of `${device.id}` and similar placeholders of a device, in what its app passes to the SDK.
package struct DevicePlaceholders: Sendable {
  private let values: [String]

  /// In the order of `values`.
  static let names = ["device.id", "device.index", "device.fleet", "run.seed"]
  /// The placeholders with the same value for all devices of a fleet.
  static let namesOfFleets = ["device.fleet", "run.seed"]

  /// `index` is the index of the device in its fleet.
  package init(id: String, index: Int, fleet: String, seed: UInt64) {
    values = [id, "\(index)", fleet, "0x" + String(seed, radix: 16)]
  }

  /// The placeholders of a device with a scenario's name, as `cars-7`.
  package init(fleet: String, index: Int, seed: UInt64) {
    self.init(id: "\(fleet)-\(index)", index: index, fleet: fleet, seed: seed)
  }

  /// The placeholders of the device with such a name.
  package init(named name: String, seed: UInt64) {
    let dash = name.lastIndex(of: "-") ?? name.endIndex
    self.init(id: name, index: Int(name[dash...].dropFirst()) ?? 0, fleet: String(name[..<dash]), seed: seed)
  }

  /// Example values, for checks before there are devices.
  static let example = DevicePlaceholders(fleet: "fleet", index: 0, seed: 1)

  /// Reports whether the text contains placeholders.
  package static func stand(in text: String) -> Bool { example.fill(text) != text }

  package static func stand(in value: JSONValue) -> Bool { example.fill(value) != value }

  /// Fills in the placeholders of a text; `$${device.id}` is an escape for `${device.id}`.
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

  /// Returns the text to be written in a scenario so that devices see this text, including placeholders.
  package static func escaped(_ text: String) -> String {
    var (result, rest) = ("", text[...])
    while let start = rest.firstRange(of: "${") {
      let tail = rest[start.upperBound...]
      result += rest[..<start.lowerBound]
      result += names.contains { tail.hasPrefix($0 + "}") } ? "${" : "$${"
      rest = tail
    }
    return result + rest
  }

  /// Fills in every text in the value, but not the keys.
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
