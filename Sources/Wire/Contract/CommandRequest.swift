import Base
package import JSON

/// A request of an admin to queue commands for devices: `{"commands":[["setConfig",{…}],["stop"]]}`. A single command may also
/// be written without its list, `{"commands":["stop"]}`. All or nothing: the first command that a device would refuse refuses
/// the request.
package struct CommandRequest: Equatable, Sendable {
  package private(set) var commands: [Command] = []
  /// The effects on devices of configurations that are otherwise valid, command by command.
  package private(set) var warnings: [ConfigurationWarning] = []

  /// `strict` refuses unknown configuration keys, which otherwise cause warnings. Members other than `commands` are the
  /// caller's responsibility.
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
    // A device ignores surplus elements, but the writer meant something else, ["stop", "start"] for instance.
    let isMisplaced = parts.count > 2 || (parts.count == 2 && parts[1] != .null && command.argument == nil)
    if isMisplaced { throw .superfluousArgument(command.name) }
    switch (command, parts.last) {
    case (.setConfig(let document), _): try check(document, strict: strict)
    case (.addGeofence, let fence?): try Self.check(fence, "", of: command.name)
    case (.addGeofences, .array(let fences)?):
      for (index, fence) in fences.enumerated() { try Self.check(fence, "[\(index)].", of: command.name) }
    default: break
    }
    commands.append(command)
  }

  /// A device ignores an unknown key, and would use the default of the key that was meant.
  private static func check(_ fence: JSONValue, _ place: String, of name: CommandName) throws(CommandProblem) {
    guard case .object(let object) = fence else { return }
    for member in object.members where !GeofenceKey.all.contains(member.key) {
      let near = NearestName.find(member.key, in: GeofenceKey.all).map { "did you mean \($0)?" } ?? ""
      throw .invalidGeofence(name, FieldError(place + member.key, .unknownKey(hint: near)))
    }
  }

  /// Limits differ between the platforms, and the server does not know the device's. Android has all limits of iOS.
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

  /// Whether the device would ignore the value.
  fileprivate var refusesValue: Bool {
    switch self {
    case .notAnObject, .wrongType, .notAllowed, .incomplete, .unusableURL, .readyOnly, .unusableToken: true
    case .unknownKey, .clamped, .spaceInURL, .withoutEffect, .refreshTokenNotSent: false
    }
  }
}

/// The keys around commands.
package enum CommandKey {
  /// The top-level key of an answer under which a device finds its commands.
  package static let backgroundGeolocation = "background_geolocation"
  /// The key of the request that queues commands.
  package static let commands = "commands"
}

/// The refused command of a request, and the reason.
package struct CommandError: Error, Equatable, Sendable {
  /// The index in the list; nil when the request as a whole is refused.
  package let index: Int?
  package let problem: CommandProblem
}

extension CommandError: CustomStringConvertible {
  package var description: String {
    index.map { "command \($0): \(problem.explanation)" } ?? problem.explanation
  }
}

/// The reason why a command is refused.
package enum CommandProblem: Error, Equatable, Sendable {
  /// No name: null, or an empty command.
  case nullCommand
  /// The commands, or one of them, are not an array; or the name is not a string.
  case wrongShape(found: String)
  /// Objects and lists are nested more deeply than a device reads them.
  case tooDeep
  case unknownCommand(String, nearest: CommandName?)
  case wrongArgument(CommandName, expected: String, found: String)
  /// The command takes no argument, or has two.
  case superfluousArgument(CommandName)
  case invalidGeofence(CommandName, FieldError)
  /// The configuration would not take effect as written.
  case invalidConfiguration([ConfigurationWarning])
}

extension CommandProblem: CustomStringConvertible {
  /// The message for a device's log, in the SDK's words where it has some.
  package var description: String {
    switch self {
    case .nullCommand: "Invalid command: null"
    case .wrongShape: "Actions must be in the form of an Array"
    case .tooDeep: "Commands are nested deeper than \(ReceivedCommands.depthMax) levels"
    case .unknownCommand(let name, nearest: _): "Unknown action: \(name)"
    case .wrongArgument(let name, let expected, let found):
      "\(name.rawValue): expected argument of type \(expected), not \(found)"
    case .superfluousArgument(let name): "\(name.rawValue): unexpected argument"
    case .invalidGeofence(let name, let error): "\(name.rawValue): \(error)"
    case .invalidConfiguration(let warnings):
      "\(CommandName.setConfig.rawValue): " + warnings.map(\.explanation).joined(separator: "; ")
    }
  }

  /// The message for the writer of the command.
  package var explanation: String {
    if case .unknownCommand(_, let nearest?) = self {
      "\(description) (did you mean \(nearest.rawValue)?)"
    } else {
      description
    }
  }

  /// The level at which a device logs it: an unknown command is taken for one of a later version, everything else for an error.
  package var logLevel: LogLevel {
    if case .unknownCommand = self { .warning } else { .error }
  }
}

/// The commands that a device finds in the body of an answer, whatever its status (SDK §10.1, §10.3). Invalid ones are left out
/// with a warning; the rest runs in order.
package struct ReceivedCommands: Equatable, Sendable {
  package private(set) var commands: [Command] = []
  package private(set) var problems: [CommandProblem] = []

  /// The maximum depth of an answer, including its outermost object.
  package static let depthMax = JSONLimits.standard.maxDepth

  /// Only an object has commands, and only at its top level. A body that is not JSON has none: a captive portal answers in
  /// HTML.
  package init(inBody bytes: Span<UInt8>) {
    do throws(JSONError) {
      self.init(try Self.find(in: bytes) ?? .array([]))
    } catch {
      self.init(.array([]))
      if error.code == .tooDeep { problems.append(.tooDeep) }
    }
  }

  /// Reads the value of the key `background_geolocation`.
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

  /// Returns nil when the key is missing. The last of several occurrences counts. Other members are skipped without building
  /// their values.
  private static func find(in bytes: Span<UInt8>) throws(JSONError) -> JSONValue? {
    var found: JSONValue?
    var reader = JSONReader(bytes)
    guard try reader.peek() == .object else { return nil }
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if reader.string(key) == CommandKey.backgroundGeolocation {
        found = try JSONValue(from: &reader, reading: .lenient)
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
