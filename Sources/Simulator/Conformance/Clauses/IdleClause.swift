import AnswerCheck
import Base
import Contract
import Scenario
import Upload

/// An idle connection.
extension ConformanceClause {
  /// Uploads on an idle connection. Either side may close it while the other begins to send (RFC 9112 §9.5), so the backend
  /// is tried again, after a different time, before the clause counts as broken.
  static func idle(_ run: ClauseRun) throws {
    do { try idle(run, for: run.settings.idleTime) } catch ClauseStop.broken {
      try idle(run, for: Nanoseconds(run.settings.idleTime.count * 6 / 5))
    }
  }

  private static func idle(_ run: ClauseRun, for time: Nanoseconds) throws {
    let phone = try run.phone()
    let first = try run.request(phone, [run.fix(phone)])
    let connection = try run.connect()
    connection.send(RawRequest(first).bytes)
    guard case .answer(let answer) = connection.reply(within: ClauseRun.answerTime) else {
      throw ClauseStop.notJudged("the first upload was not answered")
    }
    phone.answer(first, .answered(status: answer.status, reason: "", body: answer.body))
    let stated = answer.keepAliveTime
    let wait = waitingTime(time, beside: stated)
    if connection.ends(within: wait) {
      run.note = "the connection was closed in time"
      return
    }
    let second = try run.request(phone, [run.fix(phone)])
    // It may have been closed while the request was made.
    if connection.ends(within: .zero) {
      run.note = "the connection was closed in time"
      return
    }
    // On a new connection it shows nothing.
    run.hasNoCommandLine = true
    connection.send(RawRequest(second).bytes)
    let reply = connection.reply(within: ClauseRun.answerTime)
    try run.expectTokenAlive(reply.status)
    if reply.isSuccess { return }
    if let stated, stated < wait, [.closed, .reset].contains(reply) {
      run.note = "the connection ended behind the \(stated.wholeMilliseconds / 1_000) s that Keep-Alive states"
      return
    }
    throw run.fail("an upload after \(wait.seconds) idle seconds: \(reply.text)")
  }

  /// Returns an idle time that avoids the stated timeout and the second after it, when servers close connections.
  private static func waitingTime(_ time: Nanoseconds, beside stated: Nanoseconds?) -> Nanoseconds {
    guard let stated, stated - .milliseconds(500) <= time, time <= stated + .milliseconds(1_500) else { return time }
    return stated + .milliseconds(2_500)
  }
}

extension RawAnswer {
  /// The timeout in `Keep-Alive: timeout=5`.
  var keepAliveTime: Nanoseconds? {
    let parameters = (head["Keep-Alive"] ?? "").split(separator: ",")
    for parameter in parameters {
      let parts = parameter.split(separator: "=").map { $0.filter { $0 != " " && $0 != "\"" }.lowercased() }
      guard parts.count == 2, parts[0] == "timeout", let seconds = Int64(parts[1]), 0...86_400 ~= seconds else {
        continue
      }
      return .seconds(seconds)
    }
    return nil
  }
}
