import Network
import Store

/// Carries out the reply of a handler.
extension IngestSession {
  func perform(_ reply: Reply, _ exchange: Exchange, _ output: inout SessionOutput) {
    switch reply {
    case .answer(let response): answerDevice(exchange, response, &output)
    case .store(let job, let continuation):
      guard context.backend.submit(job, for: address) else {
        return answer(exchange, .overloaded, bodyComplete: true, &output)
      }
      expectResult(of: exchange, continuation)
    case .ask(let question):
      let isAsked = context.backend.ask({ .answered(.found(by: question, in: $0)) }, for: address)
      wait(exchange, isAsked: isAsked, &output)
    case .askJournal(let question):
      let isAsked = context.journal?.ask({ .answered(.found(by: question, in: $0)) }, address)
      wait(exchange, isAsked: isAsked ?? false, &output)
    case .again(let step):
      let isAsked = context.backend.ask(
        { _ in
          step()
          return .readyAgain
        }, for: address)
      wait(exchange, isAsked: isAsked, &output)
    case .respond(let begin): begin(self, exchange, &output)
    }
  }

  /// Waits for `SessionMessage.answered`.
  private func wait(_ exchange: Exchange, isAsked: Bool, _ output: inout SessionOutput) {
    guard isAsked else { return answer(exchange, .tooManyQuestions, bodyComplete: true, &output) }
    expectAnswer(to: exchange)
  }
}
