import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Synchronization
import Upload

/// Examines every answer of a run, for the clauses that apply to all answers. Each clause has one of its own, and all share what
/// they see.
struct AnswerWatch: Sendable {
  /// An observation, the clause that made it, and its upload; nil where no phone sent it.
  struct Example: Sendable {
    let words: String
    let clause: String
    /// What that clause sends.
    let log: SentLog
    let upload: ConformancePhone.Upload?
  }

  /// All observations, with an example of each kind.
  struct Sight: Sendable {
    var uploads = 0
    var successes = 0
    var unusualSuccess: Example?
    var page: Example?
    var wrongType: Example?
    var commandForm: Example?
    /// A 401 to an upload that names no scheme.
    var bareRefusal: Example?
    var commandAnswers = 0
    /// Whether there was a status of a limit, or of a proxy without a backend.
    var isBusy = false
  }

  private final class Sights: Sendable {
    let sight = Mutex(Sight())
  }

  private let sights: Sights
  private let clause: String
  private let log: SentLog

  init() { self.init(Sights(), for: "", SentLog()) }

  private init(_ sights: Sights, for clause: String, _ log: SentLog) {
    (self.sights, self.clause, self.log) = (sights, clause, log)
  }

  var seen: Sight { sights.sight.withLock { $0 } }

  /// Returns the watch of another clause of the run.
  func shared(with clause: String, _ log: SentLog) -> AnswerWatch { AnswerWatch(sights, for: clause, log) }

  func see(_ upload: ConformancePhone.Upload) {
    guard case .answered(let status, reason: _, let body) = upload.outcome else { return }
    note(status, upload.head, body, upload)
  }

  func see(_ answer: RawAnswer) { note(answer.status, answer.head, answer.unpackedBody, nil) }

  private func note(_ status: Int, _ head: AnswerHead, _ body: [UInt8], _ upload: ConformancePhone.Upload?) {
    let type = head[HeaderName.contentType] ?? ""
    let start = String(decoding: body.prefix(60), as: UTF8.self).filter { !$0.isNewline }
    let isPage = ObservedAnswer.isPage(body, type: type.lowercased())
    let isJSONType = AnswerWatch.isJSON(type)
    let document = StoredValue(body)
    let isJSON = body.isEmpty || document != nil
    // Commands stand in an object (SDK §10.1); a word or a number is a page of any type.
    let isObject = if case .object? = document { true } else { false }
    let commands = AnswerWatch.commands(in: body)
    func example(_ words: String) -> Example { Example(words: words, clause: clause, log: log, upload: upload) }
    sights.sight.withLock { sight in
      if ConformanceTarget.isAway(status) { sight.isBusy = true }
      if commands.areThere { sight.commandAnswers += 1 }
      sight.commandForm = sight.commandForm ?? commands.form.map(example)
      if isJSONType, !isJSON {
        sight.wrongType = sight.wrongType ?? example("status \(status), \(type), and a body that begins with \(start)")
      } else if type.lowercased().contains("html"), isObject {
        sight.wrongType =
          sight.wrongType ?? example("status \(status), \(type), and a body that is an object of JSON: \(start)")
      }
      guard let upload, upload.request.purpose == .records else { return }
      sight.uploads += 1
      if status == 401, head[HeaderName.wwwAuthenticate] == nil {
        sight.bareRefusal = sight.bareRefusal ?? example("status 401 without WWW-Authenticate")
      }
      guard 200..<300 ~= status else { return }
      sight.successes += 1
      if ![200, 201, 204].contains(status) {
        sight.unusualSuccess = sight.unusualSuccess ?? example("status \(status)")
      }
      guard isPage else { return }
      sight.page = sight.page ?? example("status \(status) and a page that begins with \(start)")
    }
  }

  /// Reports whether it is a media type of JSON (RFC 8259 §11, RFC 6839 §3.1).
  private static func isJSON(_ type: String) -> Bool {
    let essence = type.lowercased().prefix { $0 != ";" && $0 != " " }
    return essence.hasSuffix("/json") || essence.hasSuffix("+json")
  }

  /// Returns whether there are commands, and why the SDK would not find them.
  fileprivate static func commands(in body: [UInt8]) -> (areThere: Bool, form: String?) {
    guard let value = StoredValue(body) else {
      let names = String(decoding: body, as: UTF8.self).contains("background_geolocation")
      return (names, names ? "the body with commands is not JSON" : nil)
    }
    if let list = value["background_geolocation"] {
      if case .null = list { return (false, nil) }
      let received = ReceivedCommands(inBody: body.span)
      let form = received.problems.first { $0.isOfForm }
      let isThere = !received.commands.isEmpty || !received.problems.isEmpty
      return (isThere, form.map { "\($0)" } ?? flattened(list))
    }
    guard let place = nestedCommands(value, at: "") else { return (false, nil) }
    return (true, "the commands are at \(place), and the SDK looks for background_geolocation at the top")
  }

  /// Returns a problem with a flat list: `["stop", "start"]` is parsed as the command `stop` with an argument (SDK §10.1).
  private static func flattened(_ list: StoredValue) -> String? {
    guard case .list(let elements) = list else { return nil }
    guard case .text(let first)? = elements.first else { return elements.lazy.compactMap(flattened).first }
    let isSecondACommand =
      if elements.count == 2, case .text(let name) = elements[1] { CommandName(rawValue: name) != nil } else { false }
    guard elements.count > 2 || isSecondACommand else { return nil }
    return
      "a list of \(elements.count) that begins with \"\(first)\" is one command to the SDK: what follows is its argument"
  }

  /// Returns a key that probably holds commands, at a place or in a form that the SDK does not read.
  private static func nestedCommands(_ value: StoredValue, at place: String) -> String? {
    switch value {
    case .object(let members):
      for member in members {
        let path = place.isEmpty ? member.key : "\(place).\(member.key)"
        let plain = member.key.lowercased().filter { $0 != "_" && $0 != "-" }
        if plain == "backgroundgeolocation" { return path }
        if let found = nestedCommands(member.value, at: path) { return found }
      }
      return nil
    case .list(let elements):
      for (index, element) in elements.enumerated() {
        if let found = nestedCommands(element, at: "\(place)[\(index)]") { return found }
      }
      return nil
    case .null, .bool, .number, .text: return nil
    }
  }
}

extension CommandProblem {
  /// Whether the list itself is malformed, not the argument of a command.
  var isOfForm: Bool {
    switch self {
    case .nullCommand, .wrongShape, .tooDeep: true
    case .unknownCommand, .wrongArgument, .superfluousArgument, .invalidGeofence, .invalidConfiguration: false
    }
  }

  /// Whether no command has this name.
  var isOfName: Bool { if case .unknownCommand = self { true } else { false } }
}
