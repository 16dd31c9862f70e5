import Network
import Synchronization

@testable import IngestServer
@testable import Store

/// Questions to the store, answered when the test says so.
extension SessionHarness {
  /// Answers the questions that were handed over; false when there are none.
  @discardableResult
  func read() -> Bool {
    room.answeredQuestions()
    let hasAnswered = server.answerQuestions()
    for message in server.takeMessages(for: session.address) { call { $0.deliver(message, &$1) } }
    return hasAnswered
  }

  /// What was asked cannot be read.
  func failFirstPage() { answerQuestions(with: .answered(.unreadable(SessionHarness.diskFailure))) }
  func failNextPage() { answerQuestions(with: .pageFailed(SessionHarness.diskFailure)) }

  private static let diskFailure = StoreError(code: .inputOutput, message: "the disk failed")

  private func answerQuestions(with message: SessionMessage) {
    room.answeredQuestions()
    for _ in 0..<server.backend.takeQuestions().count { call { $0.deliver(message, &$1) } }
  }

  func setQuestionsMax(_ count: Int) { room.setQuestionsMax(count) }
  func ring() { call { $0.alarmFired(&$1) } }
  func produce() { call { $0.produce(&$1) } }
  func close() { session.closed(.reset, now: monotonic) }

  /// Takes what was sent as it is, of an answer that is not whole yet.
  func takeSent() -> [UInt8] {
    defer { sent = [] }
    return sent
  }
}
