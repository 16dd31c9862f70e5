import AnswerCheck
import Base
import Contract
import Scenario
import Upload

/// The connection of a refused request.
extension ConformanceClause {
  static let refusals: [ConformanceClause] = [
    ConformanceClause(
      "upload-after-refusal", .http, .should, .repeat,
      "Behind a refused request the next upload over the connection is answered by itself, unless the answer to the first has announced its end",
      because:
        "a body that is not read to its end is taken for the next request, and a phone that refreshes its token after 401 uploads over the same connection (SDK §11.6; RFC 9112 §9.3)",
      phase: .risky,
      presumes: [
        "keep-alive", "answer-length-true", "unreadable-not-acknowledged", "unknown-path-refused", "device-per-request",
      ], afterRefusal)
  ]

  private static func afterRefusal(_ run: ClauseRun) throws {
    var count = 0
    for (what, request) in try refusedRequests(run) {
      let connection = try run.connect()
      connection.send(request.bytes)
      guard case .answer(let answer) = connection.reply(within: ClauseRun.answerTime), answer.status >= 400,
        answer.keepsAlive
      else { continue }
      count += 1
      let (phone, record, upload) = try plain(run)
      // On a new connection it shows nothing.
      run.hasNoCommandLine = true
      connection.send(upload.bytes)
      let reply = connection.reply(within: ClauseRun.answerTime)
      guard reply.isSuccess else {
        throw run.fail(
          "behind \(what), which got status \(answer.status), over the same connection: \(reply.wholeText)")
      }
      if !connection.surplus.isEmpty {
        throw run.fail("behind \(what) an upload has two answers: \(connection.surplus.count) bytes follow the first")
      }
      try run.expectOnce([record], of: phone.name, among: " sent behind \(what)")
    }
    if count == 0 { throw ClauseStop.notApplicable("no connection stays open behind a refused request") }
  }

  /// Returns requests that a backend refuses, with bodies that it may leave unread.
  private static func refusedRequests(_ run: ClauseRun) throws -> [(what: String, request: RawRequest)] {
    var unreadable = try plain(run).request
    unreadable.body = Array(unreadable.body.prefix(unreadable.body.count * 2 / 5))
    unreadable.declaredLength = unreadable.body.count
    var lost = try plain(run).request
    lost.url = URLParts(lost.url).origin + "/rollingroad-conform/no-such-path"
    var requests = [("a body that is not JSON", unreadable), ("a request for a path that does not exist", lost)]
    if run.facts.needsTokens {
      var stranger = try plain(run).request
      stranger.setHeader(HeaderName.authorization, "Bearer none-of-yours")
      requests.append(("an unknown access token", stranger))
    }
    return requests
  }
}
