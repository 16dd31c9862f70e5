package import JSON

/// What an admin wants to queue for devices: `{"commands":[["setConfig",{…}],["stop"]]}`. A single command may also stand
/// alone, `{"commands":["stop"]}`. All or nothing: the first command that a device would refuse refuses the request.
package struct CommandRequest: Equatable, Sendable {
  package private(set) var commands: [Command] = []
  /// What devices will make of configurations that are otherwise in order, command by command.
  package private(set) var warnings: [ConfigurationWarning] = []

  /// `strict` refuses unknown configuration keys, which otherwise are warned about. Members beside `commands` are the
  /// caller's affair.
  package init(_ body: JSONValue, strict: Bool) throws(CommandError) {
    guard case .object(let object) = body else {
      throw CommandError(index: nil, problem: .wrongShape(found: body.kindName))
    }
    guard let list = object[CommandKey.commands], case .array(let elements) = list else {
      let found = object[CommandKey.commands]?.kindName ?? "nothing"
      throw CommandError(index: nil, problem: .wrongShape(found: found))
    }
    guard let first = elements.first else { throw CommandError(index: nil, problem: .nullCommand) }
    let all: [JSONValue] = if case .string = first { [list] } else { elements }
    for (index, element) in all.enumerated() {
      do throws(CommandProblem) {
        try append(element, strict: strict)
      } catch {
        throw CommandError(index: index, problem: error)
      }
    }
  }

  private mutating func append(_ element: JSONValue, strict: Bool) throws(CommandProblem) {
    guard case .array(let parts) = element else {
      throw element == .null ? .nullCommand : .wrongShape(found: element.kindName)
    }
    let command = try Command(name: parts.first, argument: parts.count > 1 ? parts[1] : nil)
    // A device ignores what is too much; whoever wrote it meant something else, ["stop", "start"] for instance.
    let isMisplaced = parts.count > 2 || (parts.count == 2 && parts[1] != .null && command.argument == nil)
    if isMisplaced { throw .superfluousArgument(command.name) }
    if case .setConfig(let document) = command { try check(document, strict: strict) }
    commands.append(command)
  }

  /// Limits differ between the platforms, and the server does not know the device's. Android has all that iOS has.
  private mutating func check(_ document: JSONValue, strict: Bool) throws(CommandProblem) {
    var device = Configuration(platform: .android)
    let found = device.apply(document).warnings
    let refused = found.filter { $0.refusesValue || (strict && $0.isUnknownKey) }
    if !refused.isEmpty { throw .invalidConfiguration(refused) }
    warnings += found
  }
}

extension ConfigurationWarning {
  fileprivate var isUnknownKey: Bool {
    if case .unknownKey = self { true } else { false }
  }

  /// Whether the device would not use the value at all.
  fileprivate var refusesValue: Bool {
    switch self {
    case .notAnObject, .wrongType, .notAllowed, .incomplete, .unusableURL, .readyOnly, .unusableToken: true
    case .unknownKey, .clamped, .spaceInURL, .withoutEffect, .refreshTokenNotSent: false
    }
  }
}
