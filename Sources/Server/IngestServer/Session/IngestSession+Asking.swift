import Network
import Store

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
}

extension Response {
  /// The readers cannot keep up.
  static let tooManyQuestions = Response.error(503, "overloaded", "too many queries are waiting; try again")
    .with("Retry-After", "1")

  /// What a client sees of a store that cannot be read.
  static func unreadable(_ error: StoreError) -> Response {
    switch error.code {
    case .badCursor: .error(400, "bad_cursor", error.message)
    case .full: .error(503, "disk_full", error.message).with("Retry-After", "5")
    case .inputOutput: .error(503, "disk_failed", error.message).with("Retry-After", "5")
    case .damaged: .error(503, "data_damaged", error.message)
    case .folderNotUsable, .folderInUse, .newerVersion, .foreignFile: .error(500, "store_unusable", error.message)
    }
  }
}
