import AnswerCheck
import Base
import Contract
import Scenario
import Upload

/// Commands in answers that do not arrive.
extension ConformanceClause {
  static let lostCommands: [ConformanceClause] = [
    ConformanceClause(
      "command-after-lost-answer", .commands, .should, .deaf,
      "A command whose answer was lost comes with one of the next three answers",
      because:
        "the phone has not seen it and sends its records again, by which a backend can tell that the answer was lost (SDK §9.4, §10.1)",
      needs: [.commands],
      presumes: [
        "command-right-device", "command-form", "command-needs-body", "command-in-batch-answer", "command-body-is-json",
        "resend-after-cut-answer", "no-body-with-204",
      ], afterLostAnswer)
  ]

  private static func afterLostAnswer(_ run: ClauseRun) throws {
    let phone = try run.phone()
    // The device is known, and reads what may wait for it.
    try run.deliver(phone, [run.fix(phone)])
    let before = phone.executed.count
    try run.queueAny(for: phone)
    guard try loseCommand(run, phone) else { throw ClauseStop.notJudged("the command has not come") }
    for attempt in 0..<3 where phone.executed.count == before {
      // First the record of the lost answer.
      let isRepetition = attempt == 0
      try run.deliver(
        phone, isRepetition ? [] : [run.fix(phone)],
        as: isRepetition ? "a record whose answer was lost" : "an upload after it")
    }
    if phone.executed.count == before {
      throw run.fail(
        "the connection was reset before the phone had read the answer with the command, and none of the next three answers had it; --skip command-after-lost-answer is for a backend that sends each command at most once on purpose"
      )
    }
  }

  /// Uploads until an answer has a command, which the phone does not get to see.
  private static func loseCommand(_ run: ClauseRun, _ phone: ConformancePhone) throws -> Bool {
    for _ in 0..<3 {
      let request = try run.request(phone, [run.fix(phone)])
      let connection = try run.connect()
      connection.send(RawRequest(request).bytes)
      guard case .answer(let answer) = connection.reply(within: ClauseRun.answerTime) else {
        throw ClauseStop.notJudged("an upload was not answered")
      }
      guard !ReceivedCommands(inBody: answer.unpackedBody.span).commands.isEmpty else {
        phone.answer(request, .answered(status: answer.status, reason: "", body: answer.unpackedBody))
        continue
      }
      connection.resetAtTheEnd()
      run.lose(request, of: phone)
      return true
    }
    return false
  }
}
