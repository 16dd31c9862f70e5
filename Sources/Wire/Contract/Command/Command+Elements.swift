internal import JSON

extension Command {
  /// From the elements of a command's array.
  init(name: JSONValue?, argument: JSONValue?) throws(CommandProblem) {
    switch name {
    case nil, .null: throw .nullCommand
    case .string(let text):
      guard let name = CommandName(rawValue: text) else {
        throw .unknownCommand(text, nearest: CommandName.nearest(to: text))
      }
      self = try Command(name, argument)
    case .bool, .integer, .double, .array, .object: throw .wrongShape(found: name?.kindName ?? "nothing")
    }
  }
}
