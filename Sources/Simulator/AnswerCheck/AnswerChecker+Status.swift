import Contract
import JSON
import Upload

/// What the status of an upload does to the queue (SDK §9.1).
extension AnswerChecker {
  mutating func judgeStatus(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    let print = RequestPrint(answer.request)
    let status = answer.outcome.status
    guard status != 0 else {
      if unanswered.count < AnswerChecker.unansweredMax { unanswered.insert(print) }
      return
    }
    let isSuccess = 200..<300 ~= status
    judgement.judge(.noRedirect, isBroken: 300..<400 ~= status, redirect(answer, status))
    if isSuccess {
      judgement.judge(.usualSuccess, isBroken: ![200, 201, 204].contains(status), "status \(status)")
    }
    let isRefusal = AnswerChecker.isRefusal(status)
    judgement.judge(.refusesNoRecord, isBroken: isRefusal, "status \(status)\(AnswerChecker.reason(answer))")
    if unanswered.contains(print) || status == 409 {
      judgement.judge(
        .takesRepetitions, isBroken: isRefusal, "status \(status) to records that were sent before")
    }
    judgement.judge(
      .takesTheSize, isBroken: status == 413, "status 413 to a body of \(answer.request.body.count) bytes")
    judgement.judge(.noServerError, isBroken: status >= 500, "status \(status)\(AnswerChecker.reason(answer))")
    if let head = answer.head, !isSuccess {
      judgement.judge(.noRetryAfter, head["Retry-After"].map { "status \(status) with Retry-After: \($0)" })
    }
    judgeQueue(print, status, isSuccess: isSuccess, into: &judgement)
    judgePermission(answer, status, into: &judgement)
    if isSuccess { unanswered.remove(print) }
  }

  /// A client's mistake, for ever; not one that passes, nor one that concerns the client and not the record.
  private static func isRefusal(_ status: Int) -> Bool {
    400..<500 ~= status && ![401, 403, 406, 408, 410, 413, 425, 429].contains(status)
  }

  private func redirect(_ answer: ObservedAnswer, _ status: Int) -> String {
    "status \(status)" + (answer.head?["Location"].map { " to \($0)" } ?? "")
  }

  private mutating func judgeQueue(
    _ print: RequestPrint, _ status: Int, isSuccess: Bool, into judgement: inout Judgement
  ) {
    if isSuccess {
      refusal = nil
    } else if let last = refusal, last.print == print, last.status == status {
      refusal?.count += 1
    } else {
      refusal = (print, status, 1)
    }
    let count = refusal?.count ?? 0
    judgement.judge(.queueMoves, isBroken: count >= 3, "status \(status) to the same records \(count) times in a row")
  }

  /// The beginning of what the server says about it.
  static func reason(_ answer: ObservedAnswer) -> String {
    guard !answer.body.isEmpty, !answer.isPage else { return "" }
    let text = String(decoding: answer.body.prefix(120), as: UTF8.self).map { $0.isNewline ? " " : $0 }
    return ": " + String(text) + (answer.body.count > 120 ? "…" : "")
  }
}

/// Who may upload (SDK §11).
extension AnswerChecker {
  private func judgePermission(_ answer: ObservedAnswer, _ status: Int, into judgement: inout Judgement) {
    if hasFreshToken {
      judgement.judge(
        .freshTokenIsTaken, isBroken: status == 401, "status 401 to a token that has just been handed out")
    }
    if status == 401 {
      judgement.judge(.refreshIsPossible, isBroken: !answer.canRefresh, "status 401, and there is no refreshUrl")
      if let head = answer.head {
        judgement.judge(.challenge, isBroken: head["WWW-Authenticate"] == nil, "status 401 without WWW-Authenticate")
      }
    }
    if [403, 406, 410].contains(status) {
      let hasCommands = !ReceivedCommands(inBody: answer.body.span).commands.isEmpty
      judgement.judge(
        .dismissalIsAnOrder, isBroken: !hasCommands, "status \(status) without a command; the device goes on as before")
    }
  }
}
