/// Which connection a request may use.
package enum ConnectionPolicy: Equatable, Sendable {
  /// Each device has its own, as phones do, and keeps it until it was idle for too long.
  case mobile
  /// All devices draw from a common pool of at most so many to a host, as a proxy would; requests wait for a free one.
  case shared(atMost: Int)
  /// A new one for each request.
  case fresh
}
