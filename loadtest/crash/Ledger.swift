/// What one client has sent and what it was told. A batch that got no 2xx is sent again until it gets one.
struct Ledger: Sendable {
  var batches: [Batch] = []
  var acknowledged: [Bool] = []
  /// How often each batch was sent before it had its 2xx.
  var tries: [Int] = []
  /// Records of all requests, those of a batch as often as it was sent.
  var sentRecords = 0
  /// Answers by status, in the order of their statuses when printed.
  var statuses: [Int: Int] = [:]
  /// Connections that ended without an answer to the request.
  var brokenOff = 0
  /// What the server said that cannot be true.
  var lies: [String] = []

  var acknowledgedBatches: Int { acknowledged.count { $0 } }
  var acknowledgedRecords: Int { zip(batches, acknowledged).reduce(0) { $0 + ($1.1 ? $1.0.count : 0) } }
}
