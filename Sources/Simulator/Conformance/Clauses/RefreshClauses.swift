import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Scenario
import Upload

/// Token refreshes.
extension ConformanceClause {
  static let refreshes: [ConformanceClause] = [
    ConformanceClause(
      "refresh-form", .tokens, .must, .block, "A refresh as a form is answered with tokens",
      because:
        "the SDK sends application/x-www-form-urlencoded unless refreshHeaders say otherwise (HttpConfig; SDK §11.2)",
      threads: ["cordova#1071", "flutter#1201"], needs: [.refresh],
      presumes: ["register-answer", "refresh-answer-found", "refresh-answer-not-html"]
    ) { run in
      let (phone, tokens) = try signedIn(run)
      _ = try run.refresh(tokens, in: phone, as: "a refresh as a form")
    },
    ConformanceClause(
      "refresh-json", .tokens, .should, .block, "A refresh as a JSON object is answered with tokens",
      because: "it is what the SDK sends when refreshHeaders name that type (SDK §11.2)", needs: [.refresh],
      presumes: ["refresh-form", "refresh-answer-found", "refresh-without-bearer"]
    ) { run in
      guard run.target.dialect.promises.takesJSONRefresh || run.target.dialect.preset == .rollingroad else {
        throw ClauseStop.notApplicable("the dialect promises no refresh as JSON")
      }
      let (phone, tokens) = try signedIn(run)
      _ = try run.refresh(tokens, in: phone, as: "a refresh as JSON") {
        $0.refreshHeaders = .object([HeaderName.contentType.description: .string(ContentType.json)])
      }
    },
    ConformanceClause(
      "refresh-with-expired-bearer", .tokens, .must, .block,
      "A refresh is not refused for the access token in its header",
      because: "the default refreshHeaders send the expired one along (SDK §2.8)", needs: [.refresh],
      presumes: ["refresh-form", "refresh-answer-found"]
    ) { run in
      let (phone, tokens) = try signedIn(run)
      let renewed = try run.refresh(tokens, in: phone, as: "a refresh with a bearer that is not valid") {
        $0.accessToken = "expired.by.now"
      }
      if renewed.access == "expired.by.now" {
        throw run.fail("a refresh has brought the token of its own header again, which is not valid")
      }
    },
    ConformanceClause(
      "refresh-without-bearer", .tokens, .should, .block, "A refresh without an Authorization header is answered",
      because: "apps set refreshHeaders to {} (HttpConfig)", threads: ["react-native#2366"], needs: [.refresh],
      presumes: ["refresh-form", "refresh-answer-found"]
    ) { run in
      let (phone, tokens) = try signedIn(run)
      _ = try run.refresh(tokens, in: phone, as: "a refresh without a bearer") { $0.refreshHeaders = .emptyObject }
    },
    ConformanceClause(
      "refresh-answer-found", .tokens, .must, .deaf, "A refresh brings exactly one access token that the SDK finds",
      because:
        "it walks the objects of the answer for the usual names, and does not look into lists (SDK §11.3, §11.4)",
      threads: ["react-native#1180", "react-native#2376"], needs: [.refresh], presumes: ["refresh-answer-not-html"],
      answerFound),
    ConformanceClause(
      "refreshed-token-works", .tokens, .must, .drain, "A new access token is accepted at once",
      because: "the SDK refreshes once for an upload, and then gives it up (SDK §11.6)", needs: [.refresh],
      presumes: ["refresh-form", "refresh-answer-found"]
    ) { run in
      let (phone, tokens) = try signedIn(run)
      let renewed = try run.refresh(tokens, in: phone)
      let next = try run.phone(exactly: phone.name, tokens: renewed) { $0.authorization.refreshUrl = nil }
      try run.deliver(next, [run.fix(next)], as: "an upload with a token that was just issued")
    },
    ConformanceClause(
      "expires-true", .tokens, .should, .drain,
      "A stated end of a token is in a unit that the SDK understands, and ahead",
      because:
        "up to 10⁹ it is seconds from now, up to 10¹² seconds since 1970, above milliseconds; a past end means a refresh before every upload (SDK §11.5)",
      needs: [.refresh], presumes: ["refresh-answer-found", "refresh-form"], expires),
    ConformanceClause(
      "no-expiry-stated", .tokens, .should, .drain, "A refresh states an end when the registration does",
      because: "without one the phone learns of each end by a 401 (SDK §11.5)", needs: [.refresh],
      presumes: ["refresh-answer-found", "refresh-form"]
    ) { run in
      let (phone, tokens) = try signedIn(run)
      guard let expires = tokens.expires, expires > 0, tokens.unreadExpiry == nil else {
        throw ClauseStop.notApplicable("no end is stated for tokens")
      }
      let renewed = try run.refresh(tokens, in: phone)
      if renewed.expires == nil {
        throw run.fail("the registration states an end (\(expires)), and the refresh does not")
      }
    },
    ConformanceClause(
      "refresh-answer-lost", .tokens, .must, .block,
      "A refresh whose answer was lost can be repeated a second later with the old refresh token",
      because:
        "the phone has never seen the new one, and asks again with its next upload: refused, it is locked out for good (SDK §11.4)",
      needs: [.refresh],
      presumes: ["refresh-form", "refresh-answer-found", "refreshed-token-works", "refresh-chain"], answerLost),
    ConformanceClause(
      "refresh-twice-at-once", .tokens, .must, .block,
      "Two refreshes with one token at once both bring tokens that work",
      because: "an app and its service in the background refresh at the same time (SDK §11.6)",
      needs: [.refresh],
      presumes: ["refresh-form", "refresh-answer-lost", "refresh-answer-found"], twiceAtOnce),
    ConformanceClause(
      "refresh-while-uploading", .tokens, .must, .lose, "An upload that is under way during a refresh is stored once",
      because: "requests overlap (SDK §11.6)", needs: [.store, .refresh],
      presumes: ["refresh-form", "resend-after-cut-answer", "refresh-answer-found", "refreshed-token-works"],
      whileUploading),
    ConformanceClause(
      "refresh-chain", .tokens, .must, .block, "Ten refreshes in a row, each with the newest refresh token, succeed",
      because: "a phone lives longer than one refresh (SDK §11.4)", needs: [.refresh],
      presumes: ["refresh-form", "refresh-answer-found", "refreshed-token-works"]
    ) { run in
      var (phone, tokens) = try signedIn(run)
      for number in 1...10 { tokens = try run.refresh(tokens, in: phone, as: "refresh number \(number)") }
      phone = try run.phone(exactly: phone.name, tokens: tokens) { $0.authorization.refreshUrl = nil }
      try run.deliver(phone, [run.fix(phone)], as: "an upload after ten refreshes")
    },
    ConformanceClause(
      "dead-refresh-refused", .tokens, .must, .wrong,
      "An unknown, empty or forged refresh token is refused with 400, 401 or 403",
      because: "the SDK then asks its app to log in again (SDK §11.6)", threads: ["capacitor#388"], needs: [.refresh]
    ) { run in
      let phone = try run.phone(signsIn: false)
      let tokens = try run.signIn(phone.name)
      let dead = [
        ("none-of-yours", "an unknown refresh token"), ("", "an empty refresh token"),
        (tokens.refresh?.withAnotherLetter, "a refresh token with one letter changed"),
        (tokens.refresh?.withoutItsEnd, "a refresh token without its end"),
        (tokens.refresh?.unsigned(), "a refresh token of the same claims without a signature (alg: none)"),
      ]
      for case (let token?, let what) in dead {
        let outcome = run.send(try run.refreshRequest(tokens, in: phone) { $0.refreshToken = token })
        // A form without a value may be refused in other ways.
        let isRefused = [400, 401, 403].contains(outcome.status) || token.isEmpty && outcome.status >= 300
        if !isRefused {
          throw run.fail("\(what) was \(outcome.answer(120))", harm: 500 <= outcome.status ? .repeat : .wrong)
        }
      }
    },
    ConformanceClause(
      "tokens-not-interchanged", .tokens, .should, .wrong,
      "A refresh token is not taken for an access token, nor an access token for a refresh token",
      because:
        "a refresh token lives for months, and an access token that renews itself never ends (RFC 6749 §1.5; RFC 8725 §3.12)",
      needs: [.refresh, .refusal],
      presumes: [
        "no-token-refused", "unknown-is-401", "register-answer", "dead-refresh-refused", "refresh-form",
        "refresh-answer-lost",
      ], notInterchanged),
    ConformanceClause(
      "refresh-answer-not-html", .tokens, .must, .deaf, "A refresh is not answered with a page or a redirect",
      because: "no token is found in a page, and no redirect is followed (SDK §11.3)", needs: [.refresh]
    ) { run in
      let (phone, tokens) = try signedIn(run)
      let request = try run.refreshRequest(tokens, in: phone)
      run.lastSent = request
      let (outcome, head) = run.target.client.ask(request.url, by: "POST", headers: request.headers, body: request.body)
      if 300..<400 ~= outcome.status { throw run.fail("a refresh was \(outcome.answer(80))") }
      if 200..<300 ~= outcome.status, ObservedAnswer.isPage(outcome.body, type: head[HeaderName.contentType]) {
        throw run.fail("a refresh was answered with a page: \(outcome.text.shortened(80))")
      }
    },
  ]

  private static func signedIn(_ run: ClauseRun) throws -> (ConformancePhone, DeviceTokens) {
    let name = try run.phone(signsIn: false).name
    let tokens = try run.signIn(name)
    return (try run.phone(exactly: name, tokens: tokens), tokens)
  }

  private static func notInterchanged(_ run: ClauseRun) throws {
    let (phone, tokens) = try signedIn(run)
    guard let refresh = tokens.refresh, refresh != tokens.access else {
      throw ClauseStop.notApplicable("a device has one token for both")
    }
    try run.expectNotTaken(refresh, of: phone.name, "a refresh token in place of an access token")
    // Its header has the access token as well, which no refresh needs.
    let request = try run.refreshRequest(tokens, in: phone) {
      ($0.refreshToken, $0.refreshHeaders) = ($0.accessToken, .emptyObject)
    }
    let outcome = run.send(request)
    let renewed = JSONValue(answerOf: outcome).flatMap { FoundTokens(searching: $0).accessToken }
    if 200..<300 ~= outcome.status, renewed != nil {
      throw run.fail("a refresh with the access token in place of the refresh token has brought a new one")
    }
  }

  private static func answerFound(_ run: ClauseRun) throws {
    let (phone, tokens) = try signedIn(run)
    let outcome = run.send(try run.refreshRequest(tokens, in: phone))
    guard [200, 201].contains(outcome.status) else {
      throw ClauseStop.notJudged("the refresh was refused: \(outcome.status)")
    }
    guard let answer = JSONValue(answerOf: outcome), case .object = answer else {
      throw run.fail("the answer is not a JSON object: \(outcome.text.shortened(100))")
    }
    let found = FoundTokens(searching: answer)
    if found.accessToken == nil { throw run.fail("the SDK finds no access token in \(outcome.text.shortened(120))") }
    let candidates = FoundTokens.candidates(in: answer)
    if candidates.count > 1 {
      throw run.fail(
        "the answer has \(candidates.count) candidates for the access token: \(candidates.joined(separator: ", "))")
    }
  }

  private static func expires(_ run: ClauseRun) throws {
    let (phone, first) = try signedIn(run)
    let begin = run.wallNow
    let renewed = try run.refresh(first, in: phone)
    var stated = 0
    for (what, tokens) in [("the registration", first), ("the refresh", renewed)] {
      if let name = tokens.unreadExpiry {
        throw run.fail("'\(name)' of \(what) is not a number: the SDK passes it over, and learns of the end by a 401")
      }
      guard let expires = tokens.expires, let end = TokenExpiry.instant(of: expires, setAt: begin) else { continue }
      stated += 1
      let seconds = Double(end.milliseconds(since: begin)) / 1_000
      if seconds < 1 {
        throw run.fail("\(what) states \(expires), which has passed: the SDK refreshes before each upload")
      }
      let real =
        JWT.end(of: tokens.access).map { Double($0.milliseconds(since: begin)) / 1_000 }
        ?? run.target.dialect.promises.accessLifetime?.seconds
      guard let real, abs(real - seconds) > max(60, real * 0.1) else { continue }
      throw run.fail(
        "\(what) states \(expires), which the SDK takes for \(Int(seconds)) s; the token lives for \(Int(real)) s")
    }
    if stated == 0 { throw ClauseStop.notApplicable("no end is stated for tokens") }
  }

  private static func answerLost(_ run: ClauseRun) throws {
    let (phone, tokens) = try signedIn(run)
    let request = try run.refreshRequest(tokens, in: phone)
    try run.sendAside(request)
    run.pause(1_000)
    let outcome = run.send(request)
    guard [200, 201].contains(outcome.status),
      let renewed = JSONValue(answerOf: outcome).flatMap({ DeviceTokens(FoundTokens(searching: $0), after: tokens) })
    else { throw run.fail("a refresh that was repeated after its answer was lost: \(outcome.text.shortened(120))") }
    let next = try run.phone(exactly: phone.name, tokens: renewed) { $0.authorization.refreshUrl = nil }
    try run.deliver(next, [run.fix(next)], as: "an upload with the tokens of a repeated refresh")
    _ = try run.refresh(renewed, in: next, as: "the refresh after a repeated one")
  }

  /// Sends a refresh twice at once. Both the answer that the phone keeps and the order in which the backend handles the
  /// requests are random, so each answer is kept several times.
  private static func twiceAtOnce(_ run: ClauseRun) throws {
    for kept in run.facts.isSlow ? [0, 1] : [0, 1, 0, 1, 0, 1] {
      let (phone, tokens) = try signedIn(run)
      let renewed = try refreshTwiceAtOnce(run, tokens, in: phone)
      for tokens in renewed {
        let next = try run.phone(exactly: phone.name, tokens: tokens) { $0.authorization.refreshUrl = nil }
        try run.deliver(next, [run.fix(next)], as: "an upload with the tokens of one of two refreshes at once")
      }
      _ = try run.refresh(renewed[kept], in: phone, as: "the refresh after two at once, with the token of one of them,")
    }
  }

  private static func refreshTwiceAtOnce(
    _ run: ClauseRun, _ tokens: DeviceTokens, in phone: ConformancePhone
  ) throws -> [DeviceTokens] {
    let request = try run.refreshRequest(tokens, in: phone)
    let connections = [try run.connect(to: request.url), try run.connect(to: request.url)]
    for connection in connections { connection.send(Array(request.bytes.dropLast())) }
    for connection in connections { connection.send([request.bytes[request.bytes.count - 1]]) }
    run.lastSent = request
    return try connections.map { connection in
      let reply = connection.reply(within: ClauseRun.answerTime)
      guard case .answer(let answer) = reply,
        [200, 201].contains(answer.status), let body = JSONValue(answer: answer.body),
        let renewed = DeviceTokens(FoundTokens(searching: body), after: tokens)
      else {
        run.lastReply = reply
        throw run.fail("one of two refreshes at once with one token has brought no tokens: \(reply.text)")
      }
      return renewed
    }
  }

  private static func whileUploading(_ run: ClauseRun) throws {
    let (phone, tokens) = try signedIn(run)
    let record = run.fix(phone)
    let request = try run.request(phone, [record])
    let raw = RawRequest(request)
    let connection = try run.connect()
    connection.send(raw.head + raw.body.prefix(20))
    let renewed = try run.refresh(tokens, in: phone)
    connection.send(Array(raw.body.dropFirst(20)))
    let reply = connection.reply(within: ClauseRun.answerTime)
    if !reply.isSuccess, reply.status != 401 {
      throw run.fail("an upload that was under way during a refresh: \(reply.text)", harm: .repeat)
    }
    let next = try run.phone(exactly: phone.name, tokens: renewed)
    try run.deliver(next, [record], as: "the repetition of an upload that met a refresh")
    try run.expectOnce([record], of: phone.name, among: " of an upload that met a refresh")
  }
}

extension ClauseRun {
  /// Returns a connection to the host and port of a URL.
  func connect(to url: String) throws -> RawConnection {
    guard TargetAddress(url)?.authority == TargetAddress(target.url)?.authority else {
      throw ClauseStop.notJudged("tokens are refreshed at another server: \(url)")
    }
    return try connect()
  }

  /// Sends a request and waits for the start of an answer, without reading it.
  func sendAside(_ request: RawRequest) throws {
    let connection = try connect(to: request.url)
    connection.send(request.bytes)
    _ = connection.isAnswered(within: ClauseRun.answerTime)
  }
}

/// The claims of a JSON Web Token (RFC 7519 §4.1.4).
enum JWT {
  /// Returns nil for another kind of token, for one without an expiry, and for an invalid expiry.
  static func end(of token: String) -> WallInstant? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(Array(parts[1].utf8)[...]),
      let seconds = StoredValue(bytes)?["exp"]?.double,
      let milliseconds = Int64(exactly: (seconds * 1_000).rounded())
    else { return nil }
    return WallInstant(exactly: milliseconds)
  }
}

extension FoundTokens {
  /// Returns the keys whose values some version of the SDK takes for the access token, at any depth.
  fileprivate static func candidates(in answer: JSONValue) -> [String] {
    guard case .object(let object) = answer else { return [] }
    return object.members.flatMap { member -> [String] in
      switch member.value {
      case .string(let text) where !text.isEmpty && names.contains(normalise(member.key)): [member.key]
      case .object: candidates(in: member.value)
      case .null, .bool, .integer, .double, .string, .array: []
      }
    }
  }

  private static let names = ["accesstoken", "token", "authtoken", "idtoken", "jwt", "bearer", "bearertoken", "access"]
}
