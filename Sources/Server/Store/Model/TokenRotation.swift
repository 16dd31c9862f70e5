package import Base

/// A refresh: the presented token is used up and a successor takes its place.
package struct TokenRotation: Sendable {
  /// A hash of the token that came with the request.
  package var presented: UUID128
  /// A hash of the token that would follow it, which nobody ever had before.
  package var successor: UUID128
  /// What the caller needs to send the same successor again, should the answer get lost. It is kept until the successor is
  /// used; whoever does not want it readable in the file encrypts it.
  package var answer: [UInt8]
  package var expiresAt: WallInstant
  /// How long the used token still gets the same successor; after that it counts as stolen and ends its family.
  package var graceMilliseconds: Int64

  package init(
    presented: UUID128, successor: UUID128, answer: [UInt8], expiresAt: WallInstant, graceMilliseconds: Int64 = 30_000
  ) {
    self.presented = presented
    self.successor = successor
    self.answer = answer
    self.expiresAt = expiresAt
    self.graceMilliseconds = graceMilliseconds
  }
}
