/// Why the store cannot take anything at the moment. Nothing of the group that met it was stored.
package enum StoreOutage: String, Equatable, Sendable {
  /// No space left: 507. It ends by itself when there is space again.
  case full
  /// The disk failed: 503. The store reopens its files and rewrites what it had committed before it believes them again.
  case inputOutput
  /// The file is damaged: 503 until the next start, and a person has to look.
  case damaged
  /// The store is shutting down: 503.
  case stopping
}
