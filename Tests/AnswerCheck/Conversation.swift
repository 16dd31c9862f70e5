import AnswerCheck
import Base
import Contract
import Upload

/// One device's answers, as a test tells them.
struct Conversation {
  var checker = AnswerChecker()
  private var nextID: UInt64 = 1

  static let now = WallInstant(millisecondsSince1970: 1_785_000_000_000)
  static let record = #"{"location":{"uuid":"5A4B0000-0000-4000-8000-000000000001","coords":{}}}"#
  static let json = [(name: "Content-Type", value: "application/json; charset=utf-8")]

  mutating func upload(
    _ status: Int, _ body: String = "", head: [(name: String, value: String)] = json, sent: String = record,
    milliseconds: Int64 = 20, canRefresh: Bool = true
  ) -> [Finding] {
    check(
      .records, sent, .answered(status: status, reason: "", body: Array(body.utf8)), head, milliseconds, canRefresh)
  }

  mutating func fail(_ failure: TransportFailure, sent: String = record) -> [Finding] {
    check(.records, sent, .failed(failure, message: "no luck"), nil, 20, true)
  }

  mutating func refresh(_ status: Int, _ body: String, _ strategy: AuthorizationStrategy = .jwt) -> [Finding] {
    check(
      .refresh, "", .answered(status: status, reason: "", body: Array(body.utf8)), Conversation.json, 20, true, strategy
    )
  }

  /// An upload or a refresh whose answer has a content that is not known.
  mutating func unread(_ purpose: OutgoingRequest.Purpose, _ status: Int) -> Judgement {
    let request = OutgoingRequest(
      id: nextID, purpose: purpose, method: "POST", url: "http://server.example/locations", headers: [],
      body: Array(Conversation.record.utf8), timeout: .seconds(60))
    nextID += 1
    return checker.check(
      ObservedAnswer(
        request, .answered(status: status, reason: "", body: []), head: AnswerHead(Conversation.json),
        duration: .milliseconds(20), endedAt: Conversation.now, canRefresh: true, isContentKnown: false))
  }

  private mutating func check(
    _ purpose: OutgoingRequest.Purpose, _ sent: String, _ outcome: RequestOutcome,
    _ head: [(name: String, value: String)]?, _ milliseconds: Int64, _ canRefresh: Bool,
    _ strategy: AuthorizationStrategy = .jwt
  ) -> [Finding] {
    let request = OutgoingRequest(
      id: nextID, purpose: purpose, method: "POST", url: "http://server.example/locations", headers: [],
      body: Array(sent.utf8), timeout: .seconds(60))
    nextID += 1
    return checker.check(
      ObservedAnswer(
        request, outcome, head: head.map { AnswerHead($0) }, duration: .milliseconds(milliseconds),
        endedAt: Conversation.now, canRefresh: canRefresh, strategy: strategy)
    ).findings
  }
}
