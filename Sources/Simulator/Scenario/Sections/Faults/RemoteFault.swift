package import Contract
internal import JSON

/// Commands that the next answers carry.
package struct RemoteFault: Equatable, Sendable {
  package var commands: [Command] = []

  package init() {}
}

extension RemoteFault: ScenarioSection {
  static let table = Table<RemoteFault>(
    "remote-fault", "Commands that the next answers carry.",
    [
      .required(
        "background_geolocation", \.commands, .commands,
        "A list of commands, each a list of a name and, where it takes one, an argument.")
    ])
}

extension Form where Value == [Command] {
  static var commands: Form {
    let shape = Shape.list(.list(.open("A command of the SDK and its argument."), count: 1...2), count: 1...1_000)
    return Form(shape) { value, reading in
      guard case .array(let items) = value.content else {
        reading.refuse(value, expected: "a list of commands")
        return nil
      }
      return items.enumerated().compactMap { index, item in
        reading.inside("[\(index)]") { $0.command(item) }
      }
    }
  }
}

extension Reading {
  /// Judged as by a server to which an administrator gives it.
  fileprivate mutating func command(_ item: JSON5Value) -> Command? {
    var written = item
    if case .array(var parts) = item.content, parts.count == 2 {
      parts[1] = parts[1].withAccuracyNumbers
      written.content = .array(parts)
    }
    do throws(CommandError) {
      let request = try CommandRequest(.object(["commands": .array([written.json])]), strict: true)
      return request.commands.first
    } catch {
      refuse(
        .wrongType, item.position, error.problem.explanation,
        remedy: "write [\"changePace\", true], or another command of the SDK")
      return nil
    }
  }
}
