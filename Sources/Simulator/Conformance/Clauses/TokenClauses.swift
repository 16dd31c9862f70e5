import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Scenario
import Upload

/// Authorization of uploads.
extension ConformanceClause {
  static let tokens: [ConformanceClause] = [
    ConformanceClause(
      "register-answer", .tokens, .must, .deaf,
      "A registration gives an access token, and a refresh token where tokens are refreshed",
      because:
        "without an access token a device cannot upload, and without a refresh token it cannot go on when the access token expires (SDK §21)",
      needs: [.tokens], phase: .first, registerAnswer),
    ConformanceClause(
      "no-token-refused", .tokens, .must, .wrong,
      "An upload without a token, or with an empty one, is refused, and not stored",
      because: "an endpoint that requires tokens must reject unauthenticated records", needs: [.tokens, .refusal],
      presumes: ["answer-waits-for-body"]
    ) { run in
      guard run.facts.tokens == .required else { throw ClauseStop.notApplicable("uploads need no token") }
      let phone = try run.phone(signsIn: false) { $0.authorization.refreshUrl = nil }
      let record = run.fix(phone)
      phone.put([record])
      guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
      guard [401, 403].contains(upload.status) else {
        throw run.fail(
          "an upload without a token was \(upload.outcome.answer(100))",
          harm: upload.isSuccess
            ? (ObservedAnswer.isPage(upload.body, type: upload.head[HeaderName.contentType]) ? .lose : .wrong) : .block,
          upload)
      }
      try run.expectNotStored(record, of: phone.name, refused: upload.status, "an upload without a token", upload)
      try emptyToken(run)
    },
    ConformanceClause(
      "unknown-is-401", .tokens, .must, .block, "An unknown access token is answered with 401",
      because: "only 401 makes the SDK refresh; with 403 or 500 the queue stands still (SDK §9.1, §11.6)",
      threads: ["capacitor#369"], needs: [.tokens, .refusal], presumes: ["no-token-refused"]
    ) { run in
      for token in ["none-of-yours", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA"] {
        let phone = try run.phone(signsIn: false) {
          $0.authorization.accessToken = token
          $0.authorization.refreshUrl = nil
        }
        let record = run.fix(phone)
        phone.put([record])
        guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
        if upload.status != 401 {
          throw run.fail("an unknown access token was \(upload.outcome.answer(100))", upload)
        }
        try run.expectNotStored(
          record, of: phone.name, refused: upload.status, "an upload with an unknown access token", upload)
      }
    },
    ConformanceClause(
      "changed-token-refused", .tokens, .must, .wrong,
      "A good token with one letter changed, or without its end, or a JWT without its signature, is refused",
      because:
        "a backend that does not check the signature of a JWT, lets the token choose to have none, or compares only the beginning of a token, accepts forged tokens (RFC 7515 §5.2; RFC 8725 §3.2)",
      needs: [.tokens, .refusal], presumes: ["no-token-refused", "unknown-is-401", "register-answer"], changedToken),
    ConformanceClause(
      "expired-is-401", .tokens, .must, .block,
      "An expired access token is answered with 401, and its records are not stored",
      because: "only 401 makes the SDK refresh, and the records come again after it (SDK §9.1, §11.6)",
      threads: ["react-native#2440", "capacitor#388"],
      needs: [.tokens, .refusal], presumes: ["tokens-end", "unknown-is-401", "no-token-refused"], expired),
    ConformanceClause(
      "tokens-end", .tokens, .should, .wrong,
      "A token is refused after the end that was stated for it, and the leeway of the dialect",
      because: "a stated expiry that is not enforced gives no protection (RFC 7519 §4.1.4)",
      needs: [.tokens, .refusal],
      presumes: ["no-token-refused", "expires-true"]
    ) { run in
      guard let taken = try run.uploadsAfterTheEnd().first(where: \.upload.isSuccess) else { return }
      if try run.isLost(taken.record, of: taken.device) {
        throw ClauseStop.notJudged(
          "what comes with an expired token is acknowledged and not stored: see expired-is-401")
      }
      throw run.fail(
        "a token was taken \(run.target.dialect.promises.accessLeeway.wholeMilliseconds / 1_000 + 1) s after its stated end, or later: promises.accessTokenLeeway says how long that is meant",
        taken.upload)
    },
    ConformanceClause(
      "challenge-with-401", .tokens, .should, .block, "401 comes with WWW-Authenticate",
      because:
        "without it, iOS may take the 401 for a network failure and not refresh (SDK §22, row 12; RFC 9110 §15.5.2)",
      needs: [.tokens, .refusal], phase: .last, presumes: ["unknown-is-401"]
    ) { run in
      // Other clauses have seen expired tokens refused.
      if let seen = run.watch.seen.bareRefusal { throw run.fail(seen: seen) }
      let phone = try run.phone(signsIn: false) {
        $0.authorization.accessToken = "none-of-yours"
        $0.authorization.refreshUrl = nil
      }
      phone.put([run.fix(phone)])
      guard let upload = phone.upload().last, upload.status == 401 else {
        throw ClauseStop.notJudged("there was no 401")
      }
      if upload.head[HeaderName.wwwAuthenticate] == nil {
        throw run.fail("status 401 without WWW-Authenticate", upload)
      }
    },
    ConformanceClause(
      "token-names-device", .tokens, .must, .wrong,
      "A record belongs to the device of its token, whatever its params say",
      because: "a phone must not write into the track of another", needs: [.store, .tokens]
    ) { run in
      guard run.target.dialect.promises.isNamedByToken else {
        throw ClauseStop.notApplicable("the dialect does not find the device in the token")
      }
      let (mine, other) = (try run.phone(named: "own"), try run.phone(named: "other"))
      let tokens = try run.signIn(mine.name)
      for isBatch in run.facts.forms {
        let phone = try run.phone(exactly: mine.name, tokens: tokens) {
          $0.http.batchSync = isBatch
          $0.http.params = .object(["device_id": .string(other.name)])
        }
        try expectNotUnder(other.name, run, phone)
      }
    },
    ConformanceClause(
      "same-device-after-refresh", .tokens, .must, .wrong,
      "Records before and after a refresh, or a second registration, are one device's",
      because: "a new token does not make a new phone", needs: [.store, .refresh],
      presumes: ["refreshed-token-works", "refresh-form", "refresh-answer-found"], sameDevice),
    ConformanceClause(
      "register-again", .tokens, .should, .block, "A device that registers again gets tokens that work",
      because: "an app that is reinstalled starts over (SDK §21)", needs: [.tokens], presumes: ["register-answer"]
    ) { run in
      let name = try run.phone(named: "twice", signsIn: false).name
      _ = try run.signIn(name)
      let outcome = try run.signInAnswer(name)
      run.lastSent = try run.signInRequest(name)
      if !(200...299).contains(outcome.status) {
        throw run.fail("a second registration was \(outcome.answer(120))")
      }
      let phone = try run.phone(exactly: name, tokens: try run.signIn(name))
      try run.deliver(phone, [run.fix(phone)], as: "an upload after a second registration")
    },
  ]

  /// A search for the device of an empty token may find one that has none, and apps write `null` where they have none yet.
  private static func emptyToken(_ run: ClauseRun) throws {
    for token in ["", "null", "undefined"] {
      let phone = try run.phone(signsIn: false) { $0.authorization.refreshUrl = nil }
      let record = run.fix(phone)
      var request = RawRequest(try run.request(phone, [record]))
      request.setHeader(HeaderName.authorization, "Bearer \(token)")
      let reply = try run.exchange(request)
      let what = "an upload with the access token '\(token)'"
      if reply.isSuccess { throw run.fail("\(what) was taken: \(reply.text)") }
      try run.expectNotStored(record, of: phone.name, refused: reply.status, what)
    }
  }

  /// Uploads a record, which must not be stored under another device.
  private static func expectNotUnder(_ other: String, _ run: ClauseRun, _ phone: ConformancePhone) throws {
    let records = run.fixes(phone, phone.configuration.http.batchSync ? min(2, run.facts.recordsMax) : 1)
    let record = records[0]
    phone.put(records)
    guard let upload = phone.upload().last, upload.status > 0 else {
      throw ClauseStop.notJudged("there was no answer")
    }
    // A rejection keeps the promise, too.
    let look = upload.isSuccess ? try run.look(for: [record], of: phone.name) : nil
    run.pause(Int(run.unsettledTime.wholeMilliseconds))
    if try run.storedIfListed(other)?.contains(where: { $0.uuid == record.uuid }) ?? false {
      throw run.fail("with a token of '\(phone.name)' a record is stored under '\(other)'")
    }
    guard look?.missing.isEmpty ?? true else {
      throw ClauseStop.notJudged("the record was acknowledged and is listed under neither device")
    }
  }

  private static func registerAnswer(_ run: ClauseRun) throws {
    let name = try run.phone(signsIn: false).name
    run.lastSent = try run.signInRequest(name)
    let outcome = try run.signInAnswer(name)
    let found = JSONValue(answerOf: outcome).map { FoundTokens(searching: $0) }
    if found?.accessToken == nil, let reason = run.lackOfToken(in: outcome) { throw ClauseStop.notJudged(reason) }
    guard [200, 201].contains(outcome.status) else { throw run.fail("a registration was \(outcome.answer(120))") }
    guard let found, found.accessToken != nil else {
      let place = outcome.body.placeOfHiddenToken ?? ""
      throw run.fail("the answer to a registration has no access token where the SDK finds it: it stands at \(place)")
    }
    if found.refreshToken == nil, run.target.refreshURL != nil {
      throw run.fail("the answer to a registration has no refresh token")
    }
  }

  private static func expired(_ run: ClauseRun) throws {
    let ends = try run.uploadsAfterTheEnd()
    if let taken = ends.first(where: \.upload.isSuccess) {
      if try run.isLost(taken.record, of: taken.device) {
        throw run.fail(
          "an upload with an expired access token was \(taken.upload.outcome.answer(100)), and its record is not stored",
          harm: .lose, taken.upload)
      }
      throw ClauseStop.notJudged("the token was still taken: see tokens-end")
    }
    for (upload, record, device) in ends {
      if upload.status != 401 {
        throw run.fail("an expired access token was \(upload.outcome.answer(100))", upload)
      }
      try run.expectNotStored(
        record, of: device, refused: upload.status, "an upload with an expired access token", upload)
    }
  }

  private static func changedToken(_ run: ClauseRun) throws {
    let name = try run.phone(signsIn: false).name
    let tokens = try run.signIn(name)
    let good = tokens.access
    let forged = [
      (good.withAnotherLetter, "a token with one letter changed"),
      (good.withoutItsEnd, "a token without its end"),
      (good.unsigned(), "a token of the same claims without a signature (alg: none)"),
      (good.unsigned(as: "nOnE"), "a token of the same claims without a signature (alg: nOnE)"),
      (good.unsigned(keepingSignature: true), "a token of the same claims with another algorithm (alg: none)"),
    ].compactMap { token, what in token.map { ($0, what) } }
    if forged.isEmpty { throw ClauseStop.notApplicable("access tokens are too short to be changed") }
    for (token, what) in forged { try run.expectNotTaken(token, of: name, what) }
    try expectEachUploadChecked(run, of: name, tokens, forged[0].0)
  }

  /// A connection that has had a good token may count as signed in.
  private static func expectEachUploadChecked(
    _ run: ClauseRun, of name: String, _ tokens: DeviceTokens, _ forged: String
  ) throws {
    let phone = try run.phone(exactly: name, tokens: tokens) { $0.authorization.refreshUrl = nil }
    try run.deliver(phone, [run.fix(phone)])
    phone.configure { $0.authorization.accessToken = forged }
    phone.put([run.fix(phone)])
    guard let upload = phone.upload().last, upload.isSuccess else { return }
    throw run.fail("a forged token was taken on a connection that had had a good one", upload)
  }

  private static func sameDevice(_ run: ClauseRun) throws {
    let phone = try run.phone(named: "one")
    let tokens = try run.signIn(phone.name)
    let signed = try run.phone(exactly: phone.name, tokens: tokens)
    let first = run.fix(signed)
    try run.deliver(signed, [first])
    let renewed = try run.refresh(tokens, in: signed)
    let later = try run.phone(exactly: phone.name, tokens: renewed)
    let second = run.fix(later)
    try run.deliver(later, [second], as: "an upload after a refresh")
    let again = try run.phone(exactly: phone.name, tokens: try run.signIn(phone.name))
    let third = run.fix(again)
    try run.deliver(again, [third], as: "an upload after a second registration")
    try run.expectOnce([first, second, third], of: phone.name, among: " before and after a refresh", harm: .wrong)
  }
}

/// The tokens of a device, as its SDK stores them.
struct DeviceTokens {
  let access: String
  let refresh: String?
  let expires: Double?
  /// The name of an expiry that is not a number.
  let unreadExpiry: String?
}

extension DeviceTokens {
  /// An answer without a refresh token keeps the old one. Nil without an access token.
  init?(_ found: FoundTokens, after old: DeviceTokens? = nil) {
    guard let access = found.accessToken else { return nil }
    self.access = access
    refresh = found.refreshToken ?? old?.refresh
    (expires, unreadExpiry) = (found.expires, found.nonNumericExpiries.first)
  }
}

/// Token expiry and refresh.
extension ClauseRun {
  /// Requires that a refused upload has stored nothing.
  func expectNotStored(
    _ record: SentRecord, of device: String, refused status: Int, _ what: String,
    _ upload: ConformancePhone.Upload? = nil
  ) throws {
    guard target.store != nil else { return }
    pause(Int(unsettledTime.wholeMilliseconds))
    guard try storedIfListed(device)?.contains(where: { $0.uuid == record.uuid }) ?? false else { return }
    throw fail("\(what) was refused with status \(status), and is stored", harm: .wrong, upload)
  }

  /// Uploads a record with a token, which must be refused.
  func expectNotTaken(_ token: String, of name: String, _ what: String) throws {
    let phone = try phone(exactly: name) {
      $0.authorization.accessToken = token
      $0.authorization.refreshUrl = nil
    }
    let record = fix(phone)
    phone.put([record])
    guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
    if upload.isSuccess { throw fail("\(what) was taken", upload) }
    try expectNotStored(record, of: name, refused: upload.status, "an upload with \(what)", upload)
  }

  /// Reports whether an acknowledged record is not in the store.
  func isLost(_ record: SentRecord, of device: String) throws -> Bool {
    guard target.store != nil else { return false }
    return try !look(for: [record], of: device).missing.isEmpty
  }

  private static let patience = Nanoseconds.seconds(10)

  /// Signs in, uploads, waits until the token has expired, and uploads other records without a refresh: one by itself, and one
  /// as a batch, where the app sends both.
  func uploadsAfterTheEnd() throws -> [(upload: ConformancePhone.Upload, record: SentRecord, device: String)] {
    let name = try phone(signsIn: false).name
    let tokens = try signIn(name)
    let begin = wallNow
    func upload(_ isBatch: Bool) throws -> (ConformancePhone.Upload, SentRecord, String) {
      let phone = try phone(exactly: name, tokens: tokens) {
        $0.http.batchSync = isBatch
        $0.authorization.refreshUrl = nil
        $0.authorization.expires = TokenExpiry.never
      }
      let records = fixes(phone, isBatch ? min(2, facts.recordsMax) : 1)
      phone.put(records)
      guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
      return (upload, records[0], name)
    }
    let stated = tokens.expires.flatMap { TokenExpiry.instant(of: $0, setAt: begin) }
    let promised = target.dialect.promises.accessLifetime.map { begin.advanced(byMilliseconds: $0.wholeMilliseconds) }
    guard let end = [stated, promised].compactMap(\.self).min() else {
      throw ClauseStop.notApplicable("no end is stated for access tokens")
    }
    let left = end.milliseconds(since: begin)
    guard left <= ClauseRun.patience.wholeMilliseconds else {
      throw ClauseStop.notJudged("access tokens live for \(left / 1_000) s: start the backend with at most 10")
    }
    // What was seen before its end may be remembered as good.
    let forms = facts.refusesBatchesAlone ? [false] : facts.forms
    for isBatch in forms { _ = try upload(isBatch) }
    let leeway = target.dialect.promises.accessLeeway.wholeMilliseconds
    while wallNow < end.advanced(byMilliseconds: leeway + 1_100) { pause(100) }
    return try forms.map(upload)
  }

  /// Returns the SDK's own refresh request for these tokens.
  func refreshRequest(
    _ tokens: DeviceTokens, in phone: ConformancePhone, _ change: (inout AuthorizationSettings) -> Void = { _ in }
  ) throws -> RawRequest {
    var settings = phone.configuration.authorization
    settings.accessToken = tokens.access
    settings.refreshToken = tokens.refresh
    settings.refreshUrl = target.refreshURL
    change(&settings)
    guard let request = RefreshRequest(settings, uploadHeaders: phone.configuration.http.headers) else {
      throw ClauseStop.notApplicable("the dialect names no refresh")
    }
    return RawRequest("POST", request.url, headers: request.headers, body: request.body)
  }

  func send(_ request: RawRequest) -> RequestOutcome {
    lastSent = request
    return target.client.ask(request.url, by: request.method, headers: request.headers, body: request.body).outcome
  }

  /// Refreshes; throws a rejection as a breach.
  func refresh(
    _ tokens: DeviceTokens, in phone: ConformancePhone, as what: String = "a refresh",
    _ change: (inout AuthorizationSettings) -> Void = { _ in }
  ) throws -> DeviceTokens {
    let outcome = send(try refreshRequest(tokens, in: phone, change))
    guard [200, 201].contains(outcome.status) else {
      throw fail("\(what) was \(outcome.answer(120))")
    }
    guard let answer = JSONValue(answerOf: outcome), case .object = answer else {
      throw fail("\(what) was answered with no JSON object: \(outcome.text.shortened(120))", harm: .deaf)
    }
    guard let found = DeviceTokens(FoundTokens(searching: answer), after: tokens) else {
      throw fail("\(what) brought no access token that the SDK finds", harm: .deaf)
    }
    return found
  }
}
