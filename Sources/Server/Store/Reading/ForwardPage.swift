/// The next records to forward, and the sink's position after them.
package struct ForwardPage: Sendable {
  package var records: [ArrivedRecord] = []
  /// The position after these records and after the rows of devices deleted meanwhile.
  package var end: SinkPosition

  package init(records: [ArrivedRecord] = [], end: SinkPosition) {
    self.records = records
    self.end = end
  }
}
