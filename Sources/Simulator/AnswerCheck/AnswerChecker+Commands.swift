internal import Base
import Contract
import JSON

/// Remote control (SDK §10).
extension AnswerChecker {
  mutating func judgeCommands(_ document: JSONValue, into judgement: inout Judgement) {
    guard case .object(let object) = document, let value = object[CommandKey.backgroundGeolocation] else {
      if let place = AnswerChecker.place(of: CommandKey.backgroundGeolocation, in: document, depth: 0) {
        judgement.judge(.commandsAtTheTop, "it is \(place)")
      }
      repeated = nil
      return
    }
    judgement.judge(.commandsAtTheTop, nil)
    if AnswerChecker.depth(of: value) + 1 > ReceivedCommands.depthMax {
      return judgement.judge(.argumentsFit, "\(CommandProblem.tooDeep): none of them is carried out")
    }
    guard case .array(let elements) = value else {
      judgement.judge(.commandsAreAList, "it is \(AnswerChecker.shown(value))")
      return
    }
    judgement.judge(.commandsAreAList, nil)
    if elements.isEmpty { return }
    judgeRepetition(of: value, into: &judgement)
    if case .string? = elements.first {
      judgeSingle(elements, into: &judgement)
    } else {
      for element in elements { judgeElement(element, into: &judgement) }
    }
    judgement.judge(.notTooManyCommands, isBroken: elements.count > 100, "\(elements.count) commands")
  }

  private static func depth(of value: JSONValue) -> Int {
    switch value {
    case .null, .bool, .integer, .double, .string: 0
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .object(let object): 1 + (object.members.map { depth(of: $0.value) }.max() ?? 0)
    }
  }

  /// Judges a command without a list around it, in which everything after the name would be its argument.
  private func judgeSingle(_ elements: [JSONValue], into judgement: inout Judgement) {
    let isSeveral = elements.dropFirst().contains { element in
      if case .string(let text) = element { CommandName(rawValue: text) != nil } else { elements.count > 2 }
    }
    judgement.judge(.commandsAreLists, isBroken: isSeveral, AnswerChecker.shown(.array(elements)))
    if !isSeveral { judgeCommand(elements, into: &judgement) }
  }

  private func judgeElement(_ element: JSONValue, into judgement: inout Judgement) {
    guard case .array(let command) = element else {
      return judgement.judge(.commandsAreLists, "\(AnswerChecker.shown(element)) is among the commands")
    }
    judgement.judge(.commandsAreLists, nil)
    judgeCommand(command, into: &judgement)
  }

  private func judgeCommand(_ command: [JSONValue], into judgement: inout Judgement) {
    guard case .string(let text)? = command.first else {
      let found = command.first.map(AnswerChecker.shown) ?? "nothing"
      return judgement.judge(.commandNamesAreTexts, "\(found) is in the place of the name")
    }
    judgement.judge(.commandNamesAreTexts, nil)
    guard let name = CommandName(rawValue: text) else {
      let near = CommandName.nearest(to: text).map { "; did you mean \"\($0.rawValue)\"?" } ?? ""
      return judgement.judge(.commandsAreKnown, "\"\(text)\"\(near)")
    }
    judgement.judge(.commandsAreKnown, nil)
    judgeArgument(of: name, command, into: &judgement)
  }

  private func judgeArgument(of name: CommandName, _ command: [JSONValue], into judgement: inout Judgement) {
    let argument = command.count > 1 ? command[1] : nil
    do throws(CommandProblem) {
      let read = try Command(name, argument)
      let isSuperfluous = command.count > 2 || argument != nil && argument != .null && read.argument == nil
      judgement.judge(
        .argumentsFit, isBroken: isSuperfluous, "\(name.rawValue) has too many arguments")
      if read == .stop { judgement.stopsTheDevice = true }
      if case .setConfig(let document) = read { judgeConfiguration(document, into: &judgement) }
    } catch {
      judgement.judge(.argumentsFit, error.explanation)
    }
  }

  /// Judges a configuration. The limits differ between the platforms; Android has every key that iOS has.
  private func judgeConfiguration(_ document: JSONValue, into judgement: inout Judgement) {
    var device = Configuration(platform: .android)
    let warnings = device.apply(document).warnings
    judgement.judge(.configurationIsUsable, nil)
    for warning in warnings { judgement.judge(.configurationIsUsable, warning.explanation) }
    guard case .object(let authorization)? = document["authorization"] else { return }
    let missing = ["strategy", "accessToken", "refreshToken", "refreshUrl"].filter { authorization[$0] == nil }
    judgement.judge(
      .authorizationIsWhole, isBroken: !missing.isEmpty, "authorization lacks \(missing.joined(separator: ", "))")
  }

  private mutating func judgeRepetition(of commands: JSONValue, into judgement: inout Judgement) {
    repeated = (commands, repeated?.commands == commands ? (repeated?.count ?? 0) + 1 : 1)
    let count = repeated?.count ?? 0
    judgement.judge(.commandsComeOnce, isBroken: count == 3, AnswerChecker.shown(commands))
  }

  /// Returns the place of a misplaced top-level key; nil when the document does not contain it.
  private static func place(of key: String, in value: JSONValue, depth: Int) -> String? {
    switch value {
    case .object(let object):
      for member in object.members {
        if member.key == key { return depth == 0 ? nil : "deeper" }
        if let place = place(of: key, in: member.value, depth: depth + 1) {
          return depth == 0 ? "in \"\(member.key)\"" : place
        }
      }
      return nil
    case .array(let elements):
      for element in elements where place(of: key, in: element, depth: depth + 1) != nil { return "in a list" }
      return nil
    case .string(let text): return text.contains("\"\(key)\"") ? "in a text" : nil
    case .null, .bool, .integer, .double: return nil
    }
  }

  /// Returns the beginning of a value.
  static func shown(_ value: JSONValue) -> String {
    let text = value.serializedText
    return text.count > 80 ? text.prefix(79) + "…" : text
  }
}
