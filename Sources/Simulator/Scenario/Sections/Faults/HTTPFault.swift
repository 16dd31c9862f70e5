package import Base
package import Contract
internal import JSON

/// A fault of requests that arrive at the server.
package struct HTTPFault: Equatable, Sendable {
  package var abort: HTTPAbort?
  package var delay: HTTPDelay?
  package var answer: HTTPAnswerFault?

  package init() {}
}

extension HTTPFault: ScenarioSection, FaultKind {
  static let key = "http"

  var span: FaultSpan { .state }
  var effects: FaultEffects { .answersRequests }
  var isServers: Bool { true }

  static func examples(_ draws: inout ExampleDraws) -> [String] {
    let statuses = ["400", "401", "403", "404", "413", "429", "500", "503"]
    let percentage = draws.percentage
    return [
      #"{ "abort": { "status": \#(draws.one(of: statuses)), "percentage": \#(percentage) } }"#,
      #"{ "delay": { "fixedDelay": "\#(draws.milliseconds * 4)ms", "percentage": \#(percentage) } }"#,
      // Servers that lose data on purpose belong to other tests.
      #"{ "answer": { "kind": "\#(draws.one(of: ["redirect", "empty", "malformed", "drop"]))", "percentage": \#(percentage) } }"#,
    ]
  }

  static let table = Table<HTTPFault>(
    "http-fault",
    "Faults of arriving requests, modelled on Envoy's fault filter. The first of abort, answer and delay whose percentage and condition match applies.",
    [
      .optional("abort", \.abort, .section(), "Answers with a status and stores no record."),
      .optional("delay", \.delay, .section(), "Answers late."),
      .optional("answer", \.answer, .section(), "Sends a faulty answer."),
    ])
}

/// A status as the answer; nothing is stored.
package struct HTTPAbort: Equatable, Sendable {
  package var status = 503
  package var percentage = 100.0
  package var headers: [Named<String>] = []
  package var body: String?
  package var condition: Condition?

  package init() {}
}

extension HTTPAbort: ScenarioSection {
  static let table = Table<HTTPAbort>(
    "abort", "Answers with a status and stores no record.",
    [
      .required("status", \.status, .integer(200...599), "The status."),
      .key("percentage", \.percentage, .number(0...100), "Percentage of the requests."),
      .key("headers", \.headers, .map(of: .text), "Headers of the answer, such as Retry-After."),
      .optional(
        "body", \.body, .text,
        "Body of the answer, as `{\"background_geolocation\": [[\"stop\"]]}`; an error of the server's own form without it."
      ),
      .optional(
        "when", \.condition, .condition(.request),
        "Only requests that match this condition, as in `request.bytes > 65536`."),
    ])
}

/// A late answer.
package struct HTTPDelay: Equatable, Sendable {
  package var fixedDelay = Nanoseconds.zero
  package var percentage = 100.0
  package var condition: Condition?

  package init() {}
}

extension HTTPDelay: ScenarioSection {
  static let table = Table<HTTPDelay>(
    "delay", "Answers late.",
    [
      .required("fixedDelay", \.fixedDelay, .duration, "Delay of the answer."),
      .key("percentage", \.percentage, .number(0...100), "Percentage of the requests."),
      .optional("when", \.condition, .condition(.request), "Only requests that match this condition."),
    ])
}

/// A defective answer.
package struct HTTPAnswerFault: Equatable, Sendable {
  package var kind = AnswerFault.drop
  package var percentage = 100.0
  package var condition: Condition?

  package init() {}
}

extension HTTPAnswerFault: ScenarioSection {
  static let table = Table<HTTPAnswerFault>(
    "answer", "Sends a faulty answer; only with a Rolling Road server.",
    [
      .required("kind", \.kind, .choice, "What is wrong with the answer."),
      .key("percentage", \.percentage, .number(0...100), "Percentage of the requests."),
      .optional("when", \.condition, .condition(.request), "Only requests that match this condition."),
    ])
}

/// The defects that a Rolling Road server can simulate.
package enum AnswerFault: String, CaseIterable, Sendable {
  /// 200 with an HTML page and nothing stored, as from a captive portal.
  case portal
  case redirect
  /// Stored, and 200 without content.
  case empty
  /// Stored, and a body that is not JSON.
  case malformed
  /// Stored, and the connection closes without an answer.
  case drop
  /// Acknowledged and not stored, as by a server that loses data.
  case pretend
  /// Stored, and the connection is reset during the answer.
  case half
  /// Stored, and the answer declares more bytes than it has, or fewer.
  case tooLong = "too-long"
  case tooShort = "too-short"
  /// The connection is reset after the head of the request; nothing is stored.
  case reset
  /// Stored, and the answer arrives in pieces of 16 bytes, one per second.
  case dribble
  /// Stored, and answered after 90 seconds, when the device has timed out.
  case late
}

/// A fault of tokens.
package struct AuthorizationFault: Equatable, Sendable {
  package var expireAllAccessTokens = false
  package var revokeAllTokens = false
  package var rotateKeys = false
  /// The status of answers to refresh requests.
  package var refreshStatus: Int?

  package init() {}
}

extension AuthorizationFault: ScenarioSection, FaultKind {
  static let key = "auth"

  var span: FaultSpan { refreshStatus != nil ? .state : .event }
  var effects: FaultEffects { expireAllAccessTokens || revokeAllTokens ? .endsTokens : [] }
  var isServers: Bool { true }

  func problems(in scenario: Scenario) -> [ScenarioProblem] {
    let authorization = scenario.target.authorization
    if authorization.strategy != .jwt {
      return [
        ScenarioProblem(
          "", "there are no tokens", remedy: "add target: { auth: { strategy: \"jwt\" } }", reading: ["target.auth"])
      ]
    }
    guard rotateKeys, authorization.identity == nil else { return [] }
    return [
      ScenarioProblem(
        "rotateKeys", "keys are rotated by an identity provider",
        remedy: "add target: { auth: { identity: \"own\" } }", reading: ["target.auth"])
    ]
  }

  static let table = Table<AuthorizationFault>(
    "auth-fault", "A fault of tokens.",
    [
      .key("expireAllAccessTokens", \.expireAllAccessTokens, .boolean, "All access tokens expire at once."),
      .key("revokeAllTokens", \.revokeAllTokens, .boolean, "All tokens are revoked, refresh tokens included."),
      .key(
        "rotateKeys", \.rotateKeys, .boolean,
        "The identity provider signs with a new key; only with `target.auth.identity` and a Rolling Road server."),
      .optional(
        "refreshStatus", \.refreshStatus, .integer(200...599), "Refresh requests are answered with this status."),
    ])
}

/// Commands in the next answers.
package struct RemoteFault: Equatable, Sendable {
  package var commands: [Command] = []

  package init() {}
}

extension RemoteFault: ScenarioSection, FaultKind {
  static let key = "remote"

  var span: FaultSpan { .event }
  var isServers: Bool { true }

  static func examples(_ draws: inout ExampleDraws) -> [String] {
    let changes = ["stop", "start", "startGeofences", "resetOdometer", "startSchedule", "stopSchedule"]
    let commands = [
      #"["\#(draws.one(of: changes))"]"#, #"["changePace", \#(draws.one(of: ["true", "false"]))]"#,
      #"["setConfig", { "app": { "heartbeatInterval": \#(draws.one(of: ["60", "90"])) } }]"#,
      #"["setConfig", { "http": { "params": { "phone": "another" } } }]"#,
      #"["removeGeofences"], ["addGeofence", { "identifier": "new", "latitude": 48.137, "longitude": 11.575, "radius": 300 }]"#,
    ]
    return commands.map { #"{ "background_geolocation": [\#($0)] }"# }
  }

  static let table = Table<RemoteFault>(
    "remote-fault", "Commands that the next answers carry.",
    [
      .required(
        "background_geolocation", \.commands, .commands,
        "A list of commands, each a list of a name and, where it takes one, an argument.")
    ])
}

extension ValueCodec where Value == [Command] {
  static var commands: ValueCodec {
    let schema = ValueSchema.list(
      .list(.open("A command of the SDK and its argument."), count: 1...2), count: 1...1_000)
    return ValueCodec(schema) { value, context in
      guard case .array(let items) = value.content else {
        context.refuse(value, expected: "a list of commands")
        return nil
      }
      if items.isEmpty {
        context.refuse(
          .outOfRange, value.position, "a list of 0", remedy: "list at least 1 command, as in [[\"changePace\", true]]")
      }
      return items.enumerated().compactMap { index, item in
        context.inside("[\(index)]") { $0.command(item) }
      }
    }
  }
}

extension DecodingContext {
  /// Validates a command as a server does when an administrator queues it.
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
