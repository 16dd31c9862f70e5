import AnswerCheck
import Contract
import Testing
import Upload

/// What is wrong with an answer.
@Suite struct AnswerCheckerTests {
  /// An answer that breaks exactly one clause, and a word of what is said about it.
  struct Fault: Sendable {
    let clause: Clause
    let word: String
    let tell: @Sendable (inout Conversation) -> [Finding]

    init(_ clause: Clause, _ word: String, _ tell: @escaping @Sendable (inout Conversation) -> [Finding]) {
      (self.clause, self.word, self.tell) = (clause, word, tell)
    }

    static func commands(_ clause: Clause, _ word: String, _ commands: String) -> Fault {
      Fault(clause, word) { $0.upload(200, #"{"background_geolocation":\#(commands)}"#) }
    }

    static func tokens(_ clause: Clause, _ word: String, _ body: String) -> Fault {
      Fault(clause, word) { $0.refresh(200, body) }
    }
  }

  @Test(
    arguments: [
      ("<html>", nil, true), ("\n<!DOCTYPE HTML>", "text/plain", true), ("<p>Wi-Fi", "text/html; charset=utf-8", true),
      (" <b>", "Text/HTML", true), ("OK", "text/html", false), ("", "text/html", false), ("1", "text/html", false),
      ("<ok/>", "application/xml", false), ("{}", nil, false),
    ] as [(String, String?, Bool)])
  func aPageBeginsWithATag(body: String, type: String?, isPage: Bool) {
    #expect(ObservedAnswer.isPage(Array(body.utf8), type: type) == isPage)
  }

  static let faults: [Fault] = [
    Fault(.reachable, "no luck") { $0.fail(.refused) },
    Fault(.reachable, "name it with https://") { $0.upload(400, "The plain HTTP request was sent to HTTPS port") },
    Fault(.reachable, "--client-cert") { $0.upload(400, "No required SSL certificate was sent") },
    Fault(.speaksHTTP, "no luck") { $0.fail(.protocolError) },
    Fault(.wholeAnswer, "no luck") { $0.fail(.incomplete) },
    Fault(.inTime, "60.0 s") { $0.fail(.timeout) },
    Fault(.quick, "31.0 s of 60.0 s") { $0.upload(200, milliseconds: 31_000) },
    Fault(.noRedirect, "to https://b/") { $0.upload(301, head: [("Location", "https://b/")]) },
    Fault(.usualSuccess, "202") { $0.upload(202) },
    Fault(.refusesNoRecord, "422: {\"reason\"") { $0.upload(422, #"{"reason":"too old"}"#) },
    Fault(.takesTheSize, "413") { $0.upload(413) },
    Fault(.queueMoves, "3 times in a row") {
      _ = $0.upload(500)
      _ = $0.upload(500)
      return $0.upload(500).filter { $0.clause != .noServerError }
    },
    Fault(.noServerError, "500") { $0.upload(500) },
    Fault(.noRetryAfter, "Retry-After: 120") { $0.upload(429, head: [("retry-after", "120")]) },
    Fault(.refreshIsPossible, "refreshUrl") {
      $0.upload(401, head: [("WWW-Authenticate", "Bearer")], canRefresh: false)
    },
    Fault(.challenge, "WWW-Authenticate") { $0.upload(401) },
    Fault(.freshTokenIsTaken, "handed out") {
      _ = $0.refresh(200, #"{"access_token":"a","refresh_token":"b","expires_in":3600}"#)
      return $0.upload(401, head: [("WWW-Authenticate", "Bearer")])
    },
    Fault(.dismissalIsAnOrder, "410") { $0.upload(410) },
    Fault(.noForeignPage, "<!DOCTYPE html>") { $0.upload(200, "\n<!DOCTYPE html><title>Wi-Fi</title>", head: []) },
    Fault(.noErrorInSuccess, #""error": "database"#) { $0.upload(200, #"{"error":"database is down"}"#) },
    Fault(.noErrorInSuccess, #""code": 500"#) { $0.upload(200, #"{"code":500,"message":"Internal Server Error"}"#) },
    Fault(.noErrorInSuccess, #""success": false"#) { $0.upload(200, #"{"success":false}"#) },
    Fault(.takesAll, "1 of 2") {
      $0.upload(200, #"{"accepted":1,"duplicate":0,"quarantined":0}"#, sent: #"{"location":[{},{}],"a":[1]}"#)
    },
    Fault(.isJSON, "OK") { $0.upload(200, "OK") },
    Fault(.isSmall, "70002 bytes") { $0.upload(200, #""\#(String(repeating: "x", count: 70_000))""#) },
    Fault(.commandsAtTheTop, #"in "data""#) { $0.upload(200, #"{"data":{"background_geolocation":[["stop"]]}}"#) },
    Fault(.commandsAtTheTop, "in a list") { $0.upload(200, #"[{"background_geolocation":[["stop"]]}]"#) },
    .commands(.commandsAreAList, #""stop""#, #""stop""#),
    .commands(.commandsAreLists, #"["stop","start"]"#, #"["stop","start"]"#),
    .commands(.commandsAreLists, #""start" is among"#, #"[["stop"],"start"]"#),
    .commands(.commandNamesAreTexts, #"["stop"] is in the place"#, #"[[["stop"]]]"#),
    .commands(
      .argumentsFit, "nested deeper than 32 levels",
      #"[["setConfig",\#(String(repeating: "[", count: 30))\#(String(repeating: "]", count: 30))]]"#),
    .commands(.commandNamesAreTexts, "nothing is in the place", "[[]]"),
    .commands(.commandsAreKnown, #"did you mean "changePace"?"#, #"[["changePase",true]]"#),
    .commands(.argumentsFit, "boolean", #"[["changePace","yes"]]"#),
    .commands(.argumentsFit, "too many arguments", #"[["stop",1]]"#),
    .commands(
      .configurationIsUsable, "did you mean geolocation.distanceFilter",
      #"[["setConfig",{"geolocation":{"distanceFiltr":5}}]]"#),
    .commands(.authorizationIsWhole, "lacks strategy", #"[["setConfig",{"authorization":{"accessToken":"a"}}]]"#),
    .commands(.notTooManyCommands, "101", "[\(Array(repeating: #"["stop"]"#, count: 101).joined(separator: ","))]"),
    Fault(.commandsComeOnce, "stop") {
      _ = $0.upload(200, #"{"background_geolocation":[["stop"]]}"#)
      _ = $0.upload(200, #"{"background_geolocation":[["stop"]]}"#)
      return $0.upload(200, #"{"background_geolocation":[["stop"]]}"#)
    },
    Fault(.refreshSucceeds, "400: {\"error\"") { $0.refresh(400, #"{"error":"invalid_grant"}"#) },
    .tokens(.refreshIsAnObject, "[", #"[{"access_token":"a"}]"#),
    .tokens(.accessTokenIsFound, #""acces_token" is not "access_token""#, #"{"acces_token":"a"}"#),
    .tokens(.accessTokenIsFound, "the keys are jwt", #"{"jwt":"a"}"#),
    .tokens(.oneAccessToken, "access_token, id_token", #"{"access_token":"a","id_token":"b"}"#),
    .tokens(.tokenIsBare, "Bearer", #"{"access_token":"Bearer a"}"#),
    .tokens(.tokenIsBare, "refresh token holds", #"{"access_token":"a","refresh_token":"b\n"}"#),
    .tokens(.expiryIsANumber, "expires_in", #"{"access_token":"a","expires_in":"soon"}"#),
    .tokens(.expiryIsAhead, "good for -", #"{"access_token":"a","expires_at":1700000000}"#),
    .tokens(
      .tokenIsForAccess, #""id_token" holds an identity token"#,
      #"{"id_token":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwaG9uZS0xIiwidG9rZW5fdXNlIjoiaWQifQ.c2ln"}"#),
    .tokens(
      .tokenIsForAccess, #""token" holds a refresh token"#,
      #"{"token":"eyJhbGciOiJSUzI1NiJ9.eyJ0eXAiOiJSZWZyZXNoIn0.c2ln"}"#),
    .tokens(
      .tokenIsForAccess, "an identity token",
      #"{"data":{"IdToken":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIiwibm9uY2UiOiJiIn0.c2ln"}}"#),
    .tokens(.commandsAreKnown, "stopp", #"{"access_token":"a","background_geolocation":[["stopp"]]}"#),
  ]

  /// SDK §9.4: rows go out again after a lost answer, and a server may count as accepted only what is new to it.
  @Test func acceptedAloneDoesNotCountRepeatedRecords() {
    var conversation = Conversation()
    let batch = #"{"location":[{},{}]}"#
    #expect(conversation.upload(200, #"{"accepted":1,"bad":0}"#, sent: batch) == [])
    #expect(conversation.upload(200, #"{"accepted":0}"#) == [])
    #expect(conversation.upload(200, #"{"accepted":1,"duplicates":1}"#, sent: batch) == [])
    #expect(conversation.checker.scorecard.timesJudged(.takesAll) == 1)
    #expect(conversation.upload(200, #"{"accepted":0,"duplicates":1}"#, sent: batch).map(\.clause) == [.takesAll])
  }

  /// HttpConfig: commands in any HTTP response body.
  @Test func commandsMayComeWithTokens() {
    var conversation = Conversation()
    let answer = #"{"access_token":"a","refresh_token":"r","background_geolocation":[["stop"]]}"#
    #expect(conversation.refresh(200, answer, .jwt) == [])
  }

  /// It stands alone in the header, as the server made it (SDK §11.1).
  @Test func aSharedAccessSignatureMayHoldASpace() {
    let signature = #"{"access_token":"SharedAccessSignature sr=a&sig=b","refresh_token":"r"}"#
    var conversation = Conversation()
    #expect(conversation.refresh(200, signature, .sas) == [])
    #expect(conversation.refresh(200, signature, .jwt).map(\.clause) == [.tokenIsBare])
    let cut = #"{"access_token":"SharedAccessSignature\nsr=a","refresh_token":"r"}"#
    #expect(conversation.refresh(200, cut, .sas).map(\.clause) == [.tokenIsBare])
  }

  @Test(arguments: faults.indices)
  func aFaultIsFoundAlone(index: Int) throws {
    let fault = Self.faults[index]
    var conversation = Conversation()
    let findings = fault.tell(&conversation)
    #expect(findings.map(\.clause) == [fault.clause])
    let finding = try #require(findings.first)
    #expect(finding.detail.contains(fault.word), "\(finding.detail)")
    #expect(conversation.checker.scorecard.timesBroken(fault.clause) == 1)
  }

  /// A backend that is away takes no record better because others are put aside.
  @Test(arguments: [
    (502, "check the server behind the gateway"), (503, "check the server behind the gateway"),
    (504, "check the server behind the gateway"), (429, "raise the limit"), (413, "take larger bodies"),
    (422, "quarantine the records"), (500, "quarantine the records"),
  ])
  func whatToDoAboutABlockedQueueIsAboutItsStatus(status: Int, advice: String) throws {
    var conversation = Conversation()
    for _ in 1...2 { _ = conversation.upload(status) }
    let finding = try #require(conversation.upload(status).first { $0.clause == .queueMoves })
    #expect(finding.remedy.contains(advice), "\(finding.remedy)")
    #expect(finding.remedy.contains("quarantine") == advice.contains("quarantine"), "\(finding.remedy)")
    #expect(conversation.checker.scorecard.text(storage: "").contains("→ \(finding.remedy)"))
    #expect(Clause.queueMoves.remedy.contains(advice))
  }

  @Test func aRepetitionThatIsRefusedBreaksTwoClauses() {
    var conversation = Conversation()
    _ = conversation.fail(.timeout)
    #expect(conversation.upload(409).map(\.clause) == [.refusesNoRecord, .takesRepetitions])
    var other = Conversation()
    _ = other.fail(.timeout)
    #expect(other.upload(400).map(\.clause) == [.refusesNoRecord, .takesRepetitions])
  }

  @Test func everyClauseHasAFault() {
    let told = Set(Self.faults.map(\.clause)).union([.takesRepetitions])
    #expect(told == Set(Clause.allCases))
  }

  @Test(arguments: [
    (200, ""), (204, ""), (201, "{}"), (200, #"{"accepted":1,"duplicate":0,"quarantined":0}"#),
    (200, #"{"accepted":9223372036854775807,"duplicate":9223372036854775807}"#),
    (200, #"{"error":null,"errors":[],"exception":{},"success":true,"status":"ok"}"#),
    (200, #"{"error":"0"}"#), (200, #"{"error":"None"}"#), (200, #"{"error":"OK"}"#), (200, #"{"error":{"code":0}}"#),
    (200, #"{"background_geolocation":[]}"#),
    (200, #"{"background_geolocation":["stop"]}"#), (200, #"{"background_geolocation":["changePace",true]}"#),
    (200, #"{"background_geolocation":[["setConfig",{"geolocation":{"distanceFilter":50}}],["start"]]}"#),
  ])
  func whatTheSDKTakesBreaksNothing(status: Int, body: String) {
    var conversation = Conversation()
    #expect(conversation.upload(status, body) == [])
  }

  @Test func plainTextIsNoFaultAndHTMLIsOneWithoutAHead() {
    var conversation = Conversation()
    #expect(conversation.upload(200, "OK", head: [("Content-Type", "text/plain")]) == [])
    #expect(conversation.upload(200, "<html>", head: []).map(\.clause) == [.noForeignPage])
  }

  @Test(arguments: [
    #"{"access_token":"a","refresh_token":"b","expires_in":3600}"#, #"{"data":{"accessToken":"a","expires":-1}}"#,
    #"{"access_token":"a","expires_in":0}"#, #"{"access_token":"a","expires_in":"3600"}"#,
    #"{"token":"a","expires_at":1900000000000}"#,
  ])
  func tokensThatAreFoundBreakNothing(body: String) {
    var conversation = Conversation()
    #expect(conversation.refresh(201, body) == [])
    #expect(conversation.upload(200) == [])
  }

  /// Nothing is said of what was not read, neither that it is good.
  @Test func aContentThatIsNotKnownIsNotJudged() {
    var conversation = Conversation()
    let ofContents: Set<Clause> = [
      .dismissalIsAnOrder, .noForeignPage, .noErrorInSuccess, .takesAll, .isJSON, .isSmall, .refreshIsAnObject,
      .accessTokenIsFound,
    ]
    for (purpose, status, clause) in [
      (OutgoingRequest.Purpose.records, 200, Clause.usualSuccess), (.records, 410, .refusesNoRecord),
      (.records, 500, .noServerError), (.refresh, 200, .refreshSucceeds),
    ] {
      let judged = conversation.unread(purpose, status).judged
      #expect(judged.contains(clause) && ofContents.isDisjoint(with: judged), "\(status): \(judged)")
    }
    let command = #"{"background_geolocation":[["stop"]]}"#
    for isKnown in [true, true, false, true] {
      let findings = isKnown ? conversation.upload(200, command) : conversation.unread(.records, 200).findings
      #expect(findings == [], "what came in between may have been other commands")
    }
  }

  @Test func otherCommandsInBetweenAreNoRepetition() {
    var conversation = Conversation()
    for command in ["stop", "start", "stop", "start", "stop", "start"] {
      #expect(conversation.upload(200, #"{"background_geolocation":[["\#(command)"]]}"#) == [])
    }
  }

  @Test func aSuccessEndsARowOfRefusals() {
    var conversation = Conversation()
    for _ in 0..<4 {
      #expect(conversation.upload(503).map(\.clause) == [.noServerError])
      #expect(conversation.upload(503).map(\.clause) == [.noServerError])
      #expect(conversation.upload(200) == [])
    }
  }

  @Test func theCardTellsWhatWasKeptAndWhatWasNotTried() {
    var conversation = Conversation()
    #expect(conversation.checker.scorecard.text(storage: "unknown") == "no answer was seen")
    _ = conversation.upload(200)
    let kept = conversation.checker.scorecard
    #expect(kept.keptCount == kept.seenCount && kept.seenCount == 14)
    _ = conversation.upload(302)
    _ = conversation.upload(302)
    let card = conversation.checker.scorecard
    #expect(card.keptCount == card.seenCount - 1 && card.timesBroken(.noRedirect) == 2)
    let unseen = Clause.allCases.count - card.seenCount
    #expect(
      card.text(storage: "unknown").hasPrefix(
        "\(card.keptCount) of \(card.seenCount) clauses kept in 3 answers, \(unseen) not tested"))
    #expect(
      card.text(storage: "unknown").contains("✗ 6. uploads are not redirected (2 times)")
        && card.text(storage: "unknown").contains("→ the device does not")
    )
  }

  @Test func clausesAreNumberedFromOneAndSaySomething() {
    #expect(Clause.allCases.map(\.number) == Array(1...Clause.allCases.count))
    #expect(Set(Clause.allCases.map(\.rule)).count == Clause.allCases.count)
    #expect(Set(Clause.allCases.map(\.remedy)).count == Clause.allCases.count)
  }

  /// Backends that a team cannot change are common: the app has a way around each (SDK §11).
  @Test(arguments: [Clause.oneAccessToken, .tokenIsForAccess])
  func aWrongTokenIsMendedAtTheServerOrInTheApp(clause: Clause) {
    for word in ["return only access_token", "authorization.refreshUrl", "onHttp", "setConfig"] {
      #expect(clause.remedy.contains(word))
    }
  }

  @Test func aHeadIsReadFromItsBytes() {
    let head = AnswerHead(parsing: Array("HTTP/1.1 200 OK\r\nA: 1\r\nbroken\r\nb:\t2 \r\n\r\n".utf8))
    #expect(head["a"] == "1" && head["B"] == "2" && head["c"] == nil && head.fields.count == 2)
  }
}
