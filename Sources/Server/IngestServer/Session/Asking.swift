import HTTP1
import Network
import Store

/// Answers that other threads find, and the one that is given while the store has no room.
extension IngestSession {
  /// Puts the question to a reader and waits; `SessionMessage.answered` brings the answer.
  func ask(
    _ exchange: Exchange, _ question: @escaping @Sendable (StoreReader) throws(StoreError) -> Response,
    _ output: inout SessionOutput
  ) {
    let isAsked = context.ask(
      { reader in
        do throws(StoreError) { return .answered(try question(reader)) } catch { return .answered(.unreadable(error)) }
      }, address)
    guard isAsked else { return answer(exchange, .tooManyQuestions, bodyComplete: true, &output) }
    state = .asking(exchange)
    wishes.wantsInput = false
  }

  func askJournal(
    _ exchange: Exchange, _ question: @escaping @Sendable (Journal) throws(StoreError) -> Response,
    _ output: inout SessionOutput
  ) {
    let isAsked =
      context.journal?.ask(
        { journal in
          do throws(StoreError) { return .answered(try question(journal)) } catch {
            return .answered(.unreadable(error))
          }
        }, address) ?? false
    guard isAsked else { return answer(exchange, .tooManyQuestions, bodyComplete: true, &output) }
    state = .asking(exchange)
    wishes.wantsInput = false
  }

  /// Answers 503 as soon as the head is there. A short body is read and dropped behind the answer, because the connection
  /// is worth keeping; before a long one the connection ends, and its loop drains what the client still sends for a
  /// bounded time, so that the answer can be read (RFC 9112 §9.6).
  func turnAway(_ exchange: Exchange, _ output: inout SessionOutput) {
    guard scratch.head.framing.isWorthReading, !scratch.head.expectsContinue else {
      return write(exchange, .overloaded, bodyComplete: false, &output)
    }
    let announcement = rules.announcement(for: exchange.version, bodyComplete: true)
    append(.overloaded, exchange.version, withoutContent: false, announcement, &output)
    note(exchange, .overloaded, now: output.now)
    state = .dropping
  }

  var isDropping: Bool { if case .dropping = state { true } else { false } }
}
