import AnswerCheck
import Base
import Contract
import JSON
import Scenario
import Shell
import Upload

/// A device's first tokens, from the request or the command of the dialect.
extension ClauseRun {
  private static let timeOfCommands = 30_000
  private static let outputBytesMax = 1 << 20

  /// Registers a device, like its app.
  func signIn(_ device: String) throws -> DeviceTokens {
    var outcome = try signInAnswer(device)
    if clause.phase == .first, case .failed = outcome {
      outcome = try signInAnswer(device)
      // Otherwise every clause would wait for it.
      if case .failed(_, let message) = outcome { facts.note(obstacle: "no device can sign in: \(message)") }
    }
    if let answer = JSONValue(answerOf: outcome), let found = DeviceTokens(FoundTokens(searching: answer)) {
      return found
    }
    if let reason = lackOfToken(in: outcome) {
      throw clause.phase == .first && facts.needsTokens ? endOfJudging(reason) : ClauseStop.notJudged(reason)
    }
    throw ClauseStop.notJudged(facts.reason(ofSignIn: outcome.status, "no device can sign in: \(outcome.text)"))
  }

  /// Returns why a success without a token anywhere is no breach: the dialect has one request, and the way to a token may take more.
  func lackOfToken(in outcome: RequestOutcome) -> String? {
    guard 200..<300 ~= outcome.status, outcome.body.placeOfHiddenToken == nil else { return nil }
    let words =
      target.login?.command == nil
      ? "a login was \(outcome.answer(120)), without an access token; where one takes more than one request, login.command makes them"
      : "what login.command has printed has no access token: \(outcome.text)"
    return facts.reason(ofSignIn: outcome.status, "no device can sign in: \(words)")
  }

  /// Returns the answer to the login, or what its command has printed as one.
  func signInAnswer(_ device: String) throws -> RequestOutcome {
    try create(device)
    if let request = try signInRequest(device) {
      return target.client.ask(request.url, by: request.method, headers: request.headers, body: request.body).outcome
    }
    var output: [UInt8] = []
    let end = ShellCommand.run(
      target.login?.command ?? "", ["DEVICE": device], within: ClauseRun.timeOfCommands
    ) { piece in
      output += piece
      return output.count <= ClauseRun.outputBytesMax
    }
    switch end {
    case .code(0): return .answered(status: 200, reason: "OK", body: output)
    case .code(let code): return .failed(.unreachable, message: "login.command ended with \(code)")
    case .timeout, .unwanted: return .failed(.timeout, message: "login.command did not end, and was killed")
    }
  }

  /// Nil where a command makes the requests.
  func signInRequest(_ device: String) throws -> RawRequest? {
    guard let login = target.login else { throw ClauseStop.notApplicable("the dialect names no login") }
    guard let url = login.url else { return nil }
    let placeholders = DevicePlaceholders(id: device, index: 0, fleet: "conform", seed: settings.seed)
    let inURL = DevicePlaceholders(id: device.percentEncoded, index: 0, fleet: "conform", seed: settings.seed)
    return RawRequest(
      ofDialect: login.method, inURL.fill(url),
      headers: login.headers.map { NameValuePair($0.name, placeholders.fill($0.value)) },
      body: placeholders.fill(login.body))
  }
}

extension [UInt8] {
  /// The place of an access token in an answer in which the SDK finds none: in a list, under another name, not as a text, or in a
  /// body that is not an object (SDK §11.3). Nil without one.
  var placeOfHiddenToken: String? {
    let text = String(decoding: self, as: UTF8.self)
    // A header of a JWT begins with `{"` in base64url (RFC 7519 §3).
    if text.drop(while: { $0 == "\"" }).hasPrefix("eyJ") { return "the whole body" }
    guard let answer = JSONValue(answer: self) else {
      return FoundTokens.normalise(text).contains("accesstoken=") ? "a body that is not JSON" : nil
    }
    return answer.placeOfToken("$")
  }
}

extension JSONValue {
  private static let namesOfTokens: Set<String> = [
    "accesstoken", "idtoken", "token", "authtoken", "bearertoken", "accessjwt", "jwt", "bearer",
  ]

  fileprivate func placeOfToken(_ place: String) -> String? {
    switch self {
    case .array(let elements):
      return elements.indices.lazy.compactMap { elements[$0].placeOfToken("\(place)[\($0)]") }.first
    case .object(let object):
      for member in object.members {
        let inner = "\(place).\(member.key)"
        let isNamed = JSONValue.namesOfTokens.contains(FoundTokens.normalise(member.key))
        if isNamed, member.value.mayBeToken { return inner }
        if let found = member.value.placeOfToken(inner) { return found }
      }
      return nil
    case .null, .bool, .integer, .double, .string: return nil
    }
  }

  private var mayBeToken: Bool {
    switch self {
    case .string(let text): !text.isEmpty
    case .integer, .double, .array, .object: true
    case .null, .bool: false
    }
  }
}
