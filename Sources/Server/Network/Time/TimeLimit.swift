/// The rule that a connection has broken when it is closed for being slow.
package enum TimeLimit: Hashable, Sendable, CaseIterable {
  case idle
  case head
  case body
  case bodyRate
  case write
  case linger
}
