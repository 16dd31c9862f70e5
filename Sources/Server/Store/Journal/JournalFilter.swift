/// Which entries a question to the journal is about. What is nil does not matter.
package struct JournalFilter: Sendable {
  package var run: String?
  package var device: String?
  package var status: Int?
  /// What the path begins with.
  package var pathPrefix: String?
  /// The search goes back in time.
  package var isNewestFirst = false
  /// What the columns do not say.
  package var condition: (@Sendable (JournalEntry) -> Bool)?

  package init(run: String? = nil, device: String? = nil, status: Int? = nil, pathPrefix: String? = nil) {
    self.run = run
    self.device = device
    self.status = status
    self.pathPrefix = pathPrefix
  }
}
