/// Why a command is refused.
package enum CommandProblem: Error, Equatable, Sendable {
  /// No name: null, or an empty command.
  case nullCommand
  /// The commands, or one of them, are no array; or the name is no string.
  case wrongShape(found: String)
  case unknownCommand(String, nearest: CommandName?)
  case wrongArgument(CommandName, expected: String, found: String)
  /// The command takes no argument, or has two.
  case superfluousArgument(CommandName)
  case invalidGeofence(CommandName, FieldError)
  /// The configuration would not take effect as it stands.
  case invalidConfiguration([ConfigurationWarning])
}

extension CommandProblem: CustomStringConvertible {
  /// For a device's log: in the SDK's words where it has some.
  package var description: String {
    switch self {
    case .nullCommand: "Invalid command: null"
    case .wrongShape: "Actions must be in the form of an Array"
    case .unknownCommand(let name, nearest: _): "Unknown action: \(name)"
    case .wrongArgument(let name, let expected, let found):
      "\(name.rawValue): expected argument of type \(expected), not \(found)"
    case .superfluousArgument(let name): "\(name.rawValue): unexpected argument"
    case .invalidGeofence(let name, let error): "\(name.rawValue): \(error)"
    case .invalidConfiguration(let warnings):
      "\(CommandName.setConfig.rawValue): " + warnings.map(\.explanation).joined(separator: "; ")
    }
  }

  /// For whoever wrote the command.
  package var explanation: String {
    if case .unknownCommand(_, let nearest?) = self {
      "\(description) (did you mean \(nearest.rawValue)?)"
    } else {
      description
    }
  }

  /// How a device logs it: it takes an unknown command for one of a later version, everything else for a mistake.
  package var logLevel: LogLevel {
    if case .unknownCommand = self { .warning } else { .error }
  }
}
