/// Records that go on next, and how far a sink has come with them.
package struct ForwardPage: Sendable {
  package var records: [ArrivedRecord] = []
  /// Behind the records, and behind rows of devices that were deleted meanwhile.
  package var end: SinkPosition

  package init(records: [ArrivedRecord] = [], end: SinkPosition) {
    self.records = records
    self.end = end
  }
}
