internal import Base
internal import Contract
package import JSON

/// A scenario as a tree of JSON values, to be modified and read again, with all variables substituted.
package struct ScenarioDocument: Equatable, Sendable {
  /// The JSON as in a file.
  package private(set) var json: JSONValue

  package init(json: JSONValue) { self.json = json }

  init(_ value: JSON5Value) { json = value.escaped.json }

  package var text: String { json.pretty }

  /// Returns the value at a path; nil without one.
  package subscript(path: DocumentPath) -> JSONValue? { json.value(at: path.steps[...]) }

  /// Replaces a value, or adds a member to an existing object; has no effect elsewhere.
  package mutating func set(_ path: DocumentPath, to value: JSONValue) { json.replace(path.steps[...], with: value) }

  package mutating func remove(_ path: DocumentPath) { json.replace(path.steps[...], with: nil) }
}

extension JSONValue {
  fileprivate func value(at steps: ArraySlice<DocumentPath.Step>) -> JSONValue? {
    guard let step = steps.first else { return self }
    switch (step, self) {
    case (.key(let name), .object(let object)): return object[name]?.value(at: steps.dropFirst())
    case (.index(let index), .array(let elements)) where elements.indices.contains(index):
      return elements[index].value(at: steps.dropFirst())
    case (.key, _), (.index, _): return nil
    }
  }

  /// Replaces a value; nil removes it.
  fileprivate mutating func replace(_ steps: ArraySlice<DocumentPath.Step>, with value: JSONValue?) {
    guard let step = steps.first else { return self = value ?? .null }
    let isLast = steps.count == 1
    switch (step, self) {
    case (.key(let name), .object(var object)):
      if isLast {
        object[name] = value
      } else {
        object[name]?.replace(steps.dropFirst(), with: value)
      }
      self = .object(object)
    case (.index(let index), .array(var elements)) where elements.indices.contains(index):
      if !isLast {
        elements[index].replace(steps.dropFirst(), with: value)
      } else if let value {
        elements[index] = value
      } else {
        elements.remove(at: index)
      }
      self = .array(elements)
    case (.key, _), (.index, _): break
    }
  }
}

extension JSON5Value {
  /// The value with `$${` in place of `${` where a reader would substitute a variable.
  fileprivate var escaped: JSON5Value {
    var result = self
    switch content {
    case .null, .bool, .integer, .double: break
    case .string(let text): result.content = .string(JSON5Value.escaped(text))
    case .array(let elements): result.content = .array(elements.map(\.escaped))
    case .object(let members):
      result.content = .object(
        members.map { member in
          var member = member
          member.value = member.value.escaped
          return member
        })
    }
    return result
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let first = rest.first {
      let isPlaceholder = DevicePlaceholders.names.contains { rest.hasPrefix("${\($0)}") }
      if rest.hasPrefix("${") && !isPlaceholder { result.append("$") }
      result.append(first)
      rest = rest.dropFirst()
    }
    return result
  }
}

/// The steps from a document to one of its values.
package struct DocumentPath: Equatable, Sendable {
  /// A step into an object or a list.
  package enum Step: Equatable, Sendable {
    case key(String)
    case index(Int)
  }

  package let steps: [Step]

  /// Outermost first.
  package init(_ steps: [Step]) { self.steps = steps }

  /// Parses a path in the notation of overrides; nil for an invalid one.
  package init?(_ text: String) {
    var steps: [Step] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      if rest.first == "[" {
        guard let step = DocumentPath.bracketed(&rest) else { return nil }
        steps.append(step)
      } else {
        if !steps.isEmpty {
          guard rest.first == "." else { return nil }
          rest = rest.dropFirst()
        }
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty else { return nil }
        steps.append(.key(String(name)))
        rest = rest.dropFirst(name.count)
      }
    }
    guard !steps.isEmpty else { return nil }
    self.steps = steps
  }

  /// Parses `[0]` or `["a.b"]`.
  private static func bracketed(_ rest: inout Substring) -> Step? {
    if rest.hasPrefix("[\"") {
      let name = rest.dropFirst(2).prefix { $0 != "\"" }
      let end = rest.dropFirst(2 + name.count)
      guard end.hasPrefix("\"]") else { return nil }
      rest = end.dropFirst(2)
      return .key(String(name))
    }
    let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let index = Int(digits), rest.dropFirst(1 + digits.count).first == "]" else { return nil }
    rest = rest.dropFirst(2 + digits.count)
    return .index(index)
  }
}

/// The parts of a document.
extension ScenarioDocument {
  /// Returns the paths of every member and element below a value, outer before inner.
  package func places(below place: DocumentPath) -> [DocumentPath] {
    switch self[place] {
    case .object(let object):
      object.members.flatMap { member in
        let inner = place.appending(.key(member.key))
        return [inner] + places(below: inner)
      }
    case .array(let elements):
      elements.indices.flatMap { index in
        let inner = place.appending(.index(index))
        return [inner] + places(below: inner)
      }
    case .null, .bool, .integer, .double, .string, nil: []
    }
  }

  /// Returns the duration at a path, in seconds.
  package func seconds(at place: DocumentPath) -> Double? {
    guard case .string(let text)? = self[place] else { return nil }
    return ScenarioDocument.seconds(text)
  }

  /// Returns the seconds of a duration in text form.
  package static func seconds(_ text: String) -> Double? { QuantityKind.duration.read(text) }

  /// Returns the text form of a duration.
  package static func text(ofSeconds seconds: Double) -> String { QuantityKind.duration.text(seconds) }

  package mutating func setSeconds(_ seconds: Double, at place: DocumentPath) {
    set(place, to: .string(QuantityKind.duration.text(seconds)))
  }
}

extension DocumentPath {
  package func appending(_ steps: Step...) -> DocumentPath { DocumentPath(self.steps + steps) }
}

extension ScenarioDocument {
  /// Returns the document with the selection and scaling of `scenario`, which was made from it, and without the keys for
  /// judgement and output, unless `keepsJudgement`.
  package func adopting(_ scenario: Scenario, keepsJudgement: Bool = false) -> ScenarioDocument {
    var result = self
    let judgement = ["$schema", "description", "checks", "thresholds", "coverage", "outputs"]
    for name in keepsJudgement ? ["$schema"] : judgement {
      result.remove(DocumentPath([.key(name)]))
    }
    result.set(DocumentPath([.key("seed")]), to: .string("0x" + String(scenario.seed, radix: 16)))
    if result.json["clock"] == nil { result.set(DocumentPath([.key("clock")]), to: .emptyObject) }
    result.setSeconds(scenario.clock.duration.seconds, at: DocumentPath([.key("clock"), .key("duration")]))
    result.setSeconds(scenario.clock.settle.seconds, at: DocumentPath([.key("clock"), .key("settle")]))
    for name in fleetNames where !scenario.fleets.contains(where: { $0.name == name }) {
      result.remove(DocumentPath([.key("fleets"), .key(name)]))
    }
    for fleet in scenario.fleets { result.adopt(fleet) }
    for index in faultNames.indices.reversed() {
      let place = DocumentPath([.key("faults"), .index(index)])
      guard let fault = scenario.faults.first(where: { $0.name == faultNames[index] }) else {
        result.remove(place)
        continue
      }
      if let count = fault.selection.count {
        result.set(place.appending(.key("select"), .key("count")), to: .integer(Int64(count)))
      }
      if let occurrences = fault.occurrences { result.setOccurrences(occurrences, of: index) }
    }
    return result
  }

  private mutating func adopt(_ fleet: Named<Fleet>) {
    let place = DocumentPath([.key("fleets"), .key(fleet.name)])
    func number(_ key: String) -> DocumentPath { place.appending(.key(key)) }
    func target(_ stage: Int) -> DocumentPath { place.appending(.key("stages"), .index(stage), .key("target")) }
    switch fleet.value.executor {
    case .constantDevices(let constant): set(number("devices"), to: .integer(Int64(constant.devices)))
    case .rampingDevices(let ramp):
      set(number("startDevices"), to: .integer(Int64(ramp.startDevices)))
      for (index, stage) in ramp.stages.enumerated() { set(target(index), to: .double(stage.target)) }
    case .constantArrivals(let arrivals):
      set(number("rate"), to: .double(arrivals.rate))
      set(number("maxDevices"), to: .integer(Int64(arrivals.maxDevices)))
    case .rampingArrivals(let arrivals):
      set(number("startRate"), to: .double(arrivals.startRate))
      set(number("maxDevices"), to: .integer(Int64(arrivals.maxDevices)))
      for (index, stage) in arrivals.stages.enumerated() { set(target(index), to: .double(stage.target)) }
    }
    if let members = fleet.value.traits.members { setMembers(members, of: fleet.name) }
  }

  /// Lists the occurrences of a fault, in place of its time and selection.
  package mutating func setOccurrences(_ occurrences: [ListedOccurrence], of fault: Int) {
    let place = DocumentPath([.key("faults"), .index(fault)])
    for key in ["at", "rate", "select"] { remove(place.appending(.key(key))) }
    set(place.appending(.key("occurrences")), to: .array(occurrences.map(\.json)))
  }

  /// Appends an element to a list of the document, which is created if necessary.
  package mutating func append(_ element: JSONValue, to list: String) {
    if case .array(let elements)? = json[list] {
      set(DocumentPath([.key(list)]), to: .array(elements + [element]))
    } else {
      set(DocumentPath([.key(list)]), to: .array([element]))
    }
  }

  package mutating func setMembers(_ members: [Int], of fleet: String) {
    set(
      DocumentPath([.key("fleets"), .key(fleet), .key("members")]), to: .array(members.map { .integer(Int64($0)) }))
  }

  package var fleetNames: [String] {
    guard case .object(let fleets)? = json["fleets"] else { return [] }
    return fleets.members.map(\.key)
  }

  package var faultNames: [String] {
    guard case .array(let faults)? = json["faults"] else { return [] }
    return faults.map { if case .string(let name)? = $0["name"] { name } else { "" } }
  }
}

extension ListedOccurrence {
  package var json: JSONValue {
    var object: JSONObject = [
      "fleet": .string(fleet), "member": .integer(Int64(member)),
      "at": .string(QuantityKind.duration.text(start.seconds)),
    ]
    if number != 0 { object["number"] = .integer(Int64(number)) }
    return .object(object)
  }
}
