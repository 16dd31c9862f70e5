/// A device log that was kept.
package struct StoredLog: Equatable, Sendable {
  package var id: Int64
  package var receivedAt: Int64
  package var fileName: String
  package var byteCount: Int
}
