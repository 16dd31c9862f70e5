package import Base
package import Contract
package import Upload

/// A request of a device and how it ended, with all that the device knew.
package struct ObservedAnswer: Sendable {
  package let request: OutgoingRequest
  package let outcome: RequestOutcome
  /// Nil when nobody kept it: clauses about header fields are then not judged.
  package let head: AnswerHead?
  /// From sending to the end.
  package let duration: Nanoseconds
  package let endedAt: WallInstant
  /// Whether the device has somewhere to ask for new tokens.
  package let canRefresh: Bool
  /// What stands before a token that this answer brings, when the device shows it.
  package let strategy: AuthorizationStrategy

  package init(
    _ request: OutgoingRequest, _ outcome: RequestOutcome, head: AnswerHead?, duration: Nanoseconds,
    endedAt: WallInstant, canRefresh: Bool, strategy: AuthorizationStrategy = .jwt
  ) {
    self.request = request
    self.outcome = outcome
    self.head = head
    self.duration = duration
    self.endedAt = endedAt
    self.canRefresh = canRefresh
    self.strategy = strategy
  }
}
