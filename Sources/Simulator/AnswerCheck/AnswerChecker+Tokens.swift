import Base
import Contract
import JSON
import Upload

/// Token refreshes (SDK §11.2 to §11.6).
extension AnswerChecker {
  mutating func judgeRefresh(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    hasFreshToken = false
    guard case .answered(let status, reason: _, body: _) = answer.outcome else { return }
    // Any answer may carry commands (HttpConfig 71).
    if let document = answer.document, case .object(let object) = document,
      object[CommandKey.backgroundGeolocation] != nil
    {
      judgeCommands(document, into: &judgement)
    }
    guard status == 200 || status == 201 else {
      return judgement.judge(.refreshSucceeds, "status \(status)\(AnswerChecker.reason(answer))")
    }
    judgement.judge(.refreshSucceeds, nil)
    guard answer.isContentKnown else { return }
    guard let document = answer.document, case .object = document else {
      return judgement.judge(
        .refreshIsAnObject,
        answer.body.isEmpty ? "it is empty" : "it begins with \(AnswerChecker.start(of: answer.body))")
    }
    judgement.judge(.refreshIsAnObject, nil)
    let found = FoundTokens(searching: document)
    judgeNames(document, found, answer.strategy, into: &judgement)
    judgeExpiry(found, at: answer.endedAt, into: &judgement)
    hasFreshToken = found.accessToken != nil
  }

  private func judgeNames(
    _ document: JSONValue, _ found: FoundTokens, _ strategy: AuthorizationStrategy, into judgement: inout Judgement
  ) {
    guard let token = found.accessToken else {
      return judgement.judge(.accessTokenIsFound, AnswerChecker.missing(in: document))
    }
    judgement.judge(.accessTokenIsFound, nil)
    var candidates: [String] = []
    AnswerChecker.collectTokens(document, into: &candidates)
    judgement.judge(
      .oneAccessToken, isBroken: candidates.count > 1, "candidates are \(candidates.joined(separator: ", "))")
    let kind = TokenKind(of: token)
    judgement.judge(
      .tokenIsForAccess, isBroken: kind != nil,
      "\"\(AnswerChecker.key(of: token, in: document) ?? "")\" holds \(kind?.rawValue ?? "")")
    judgement.judge(.tokenIsBare, nil)
    for (name, token) in [("access", token), ("refresh", found.refreshToken ?? "")] {
      // A shared access signature is the complete field value and contains a space (SDK §11.1).
      let isWholeField = strategy == .sas && name == "access"
      let isPrefixed = !isWholeField && token.lowercased().hasPrefix("bearer ")
      let least: UInt8 = isWholeField ? 0x20 : 0x21
      if isPrefixed || token.utf8.contains(where: { $0 < least || $0 >= 0x7F }) {
        let foreign = isWholeField ? "a line break" : "a space, a line break"
        judgement.judge(
          .tokenIsBare,
          "the \(name) token \(isPrefixed ? "begins with \"Bearer \"" : "holds \(foreign) or another foreign letter")")
      }
    }
  }

  private func judgeExpiry(_ found: FoundTokens, at now: WallInstant, into judgement: inout Judgement) {
    judgement.judge(
      .expiryIsANumber, isBroken: !found.nonNumericExpiries.isEmpty,
      "\(found.nonNumericExpiries.joined(separator: ", ")) is not a number")
    guard let expires = found.expires else { return }
    let left = TokenExpiry.instant(of: expires, setAt: now).map { $0.milliseconds(since: now) / 1_000 }
    judgement.judge(
      .expiryIsAhead, isBroken: left.map { $0 < AnswerChecker.shortestSeconds } ?? false,
      "the token is good for \(left ?? 0) s")
  }

  /// With a shorter lifetime half of all requests would be refreshes.
  private static let shortestSeconds: Int64 = 30

  /// Returns what the answer contains instead of a token.
  private static func missing(in document: JSONValue) -> String {
    var keys: [String] = []
    collectKeys(document, into: &keys)
    for key in keys {
      let name = FoundTokens.normalise(key)
      if ["accesstoken", "idtoken", "token"].contains(name) { return "\"\(key)\" holds no text, or stands in a list" }
      if let near = NearestName.find(name, in: ["accesstoken", "token"]) {
        return "\"\(key)\" is not \"\(near == "token" ? "token" : "access_token")\""
      }
    }
    return "the keys are \(keys.isEmpty ? "none" : keys.prefix(8).joined(separator: ", "))"
  }

  private static func collectKeys(_ value: JSONValue, into keys: inout [String]) {
    switch value {
    case .object(let object):
      for member in object.members {
        keys.append(member.key)
        collectKeys(member.value, into: &keys)
      }
    case .array(let elements): for element in elements { collectKeys(element, into: &keys) }
    case .null, .bool, .integer, .double, .string: break
    }
  }

  /// Returns the key with the token as its value.
  private static func key(of token: String, in value: JSONValue) -> String? {
    guard case .object(let object) = value else { return nil }
    for member in object.members {
      if member.value == .string(token) { return member.key }
      if let inner = key(of: token, in: member.value) { return inner }
    }
    return nil
  }

  /// Collects the names under which a device may find different access tokens.
  private static func collectTokens(_ value: JSONValue, into names: inout [String]) {
    guard case .object(let object) = value else { return }
    for member in object.members {
      if case .string(let text) = member.value, !text.isEmpty,
        ["accesstoken", "idtoken", "token"].contains(FoundTokens.normalise(member.key))
      {
        names.append(member.key)
      }
      collectTokens(member.value, into: &names)
    }
  }
}
