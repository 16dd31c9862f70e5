internal import JSON

/// The argument that came with a command, to be taken as what the command needs. A device refuses the
/// wrong type; only flags may be 0 and 1, as in `setConfig` (SDK §10.2).
struct CommandArgument {
  private let name: CommandName
  private let value: JSONValue?

  init(_ name: CommandName, _ value: JSONValue?) {
    self.name = name
    self.value = value == .null ? nil : value
  }

  func flag() throws(CommandProblem) -> Bool {
    guard let flag = value?.coercedBool else { throw wrong("boolean") }
    return flag
  }

  func number() throws(CommandProblem) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .double(let number) where number.isFinite: return number
    case nil, .null, .bool, .double, .string, .array, .object: throw wrong("number")
    }
  }

  func text() throws(CommandProblem) -> String {
    guard case .string(let text)? = value, !text.isEmpty else { throw wrong("string") }
    return text
  }

  func optionalText() throws(CommandProblem) -> String? {
    value == nil ? nil : try text()
  }

  func optionalTexts() throws(CommandProblem) -> [String]? {
    guard let value else { return nil }
    guard let texts = value.strings else { throw wrong("array of strings") }
    return texts
  }

  func object() throws(CommandProblem) -> JSONValue {
    guard let value, case .object = value else { throw wrong("object") }
    return value
  }

  func geofence() throws(CommandProblem) -> Geofence {
    let value = try object()
    do throws(FieldError) {
      return try Geofence(definition: value)
    } catch {
      throw .invalidGeofence(name, error)
    }
  }

  func geofences() throws(CommandProblem) -> [Geofence] {
    guard let value, case .array = value else { throw wrong("array of objects") }
    do throws(FieldError) {
      return try Geofence.definitions(value)
    } catch {
      throw .invalidGeofence(name, error)
    }
  }

  private func wrong(_ expected: String) -> CommandProblem {
    .wrongArgument(name, expected: expected, found: value?.kindName ?? "nothing")
  }
}
