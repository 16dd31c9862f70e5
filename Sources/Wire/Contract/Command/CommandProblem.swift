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
  /// In the SDK's words where it has some.
  package var description: String {
    switch self {
    case .nullCommand: "Invalid command: null"
    case .wrongShape: "Actions must be in the form of an Array"
    case .unknownCommand(let name, nil): "Unknown action: \(name)"
    case .unknownCommand(let name, let nearest?): "Unknown action: \(name) (did you mean \(nearest.rawValue)?)"
    case .wrongArgument(let name, let expected, let found):
      "\(name.rawValue): expected argument of type \(expected), not \(found)"
    case .superfluousArgument(let name): "\(name.rawValue): unexpected argument"
    case .invalidGeofence(let name, let error): "\(name.rawValue): \(error)"
    case .invalidConfiguration(let warnings):
      "setConfig: " + warnings.map(\.description).joined(separator: "; ")
    }
  }
}
