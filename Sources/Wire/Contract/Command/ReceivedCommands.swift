package import JSON

/// The commands that a device finds in the body of an answer, whatever its status (SDK §10.1, §10.3). What is
/// wrong is left out with a warning; the rest runs in order.
package struct ReceivedCommands: Equatable, Sendable {
  package private(set) var commands: [Command] = []
  package private(set) var problems: [CommandProblem] = []

  /// Only an object has commands, and only at its top level. A body that is no JSON has none: a captive portal answers
  /// in HTML.
  package init(inBody bytes: Span<UInt8>) {
    do throws(JSONError) {
      self.init(try Self.find(in: bytes) ?? .array([]))
    } catch {
      self.init(.array([]))
    }
  }

  /// The value of the key `background_geolocation`.
  package init(_ value: JSONValue) {
    guard case .array(let elements) = value else {
      problems.append(.wrongShape(found: value.kindName))
      return
    }
    if case .string? = elements.first {
      take(elements)
      return
    }
    for element in elements {
      switch element {
      case .array(let command): take(command)
      case .null: problems.append(.nullCommand)
      case .bool, .integer, .double, .string, .object: problems.append(.wrongShape(found: element.kindName))
      }
    }
  }

  /// Nil when the key is not there. Of several the last one counts. The other members are passed over, not built.
  private static func find(in bytes: Span<UInt8>) throws(JSONError) -> JSONValue? {
    var found: JSONValue?
    var reader = JSONReader(bytes)
    guard try reader.peek() == .object else { return nil }
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if reader.string(key) == CommandKey.backgroundGeolocation {
        found = try JSONValue(from: &reader, duplicateKeys: .lastWins)
      } else {
        _ = try reader.skipValue()
      }
    }
    try reader.finish()
    return found
  }

  private mutating func take(_ command: [JSONValue]) {
    do throws(CommandProblem) {
      commands.append(try Command(name: command.first, argument: command.count > 1 ? command[1] : nil))
    } catch {
      problems.append(error)
    }
  }
}
