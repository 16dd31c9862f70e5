/// A request and its answer.
package struct JournalEntry: Equatable, Sendable {
  package var run: String
  /// Nil when the request did not say.
  package var device: String?
  /// Milliseconds since 1970.
  package var receivedAt: Int64
  /// From the first byte read to the last byte written.
  package var durationMicroseconds: Int64
  package var method: String
  package var path: String
  package var status: Int
  /// Header fields as they stood in the request, without secrets.
  package var head: [UInt8]
  package var body: [UInt8]
  package var answer: [UInt8]
  /// The name of the fault that was played, if any.
  package var fault: String?

  package init(
    run: String = "", device: String? = nil, receivedAt: Int64, durationMicroseconds: Int64 = 0, method: String,
    path: String, status: Int, head: [UInt8] = [], body: [UInt8] = [], answer: [UInt8] = [], fault: String? = nil
  ) {
    self.run = run
    self.device = device
    self.receivedAt = receivedAt
    self.durationMicroseconds = durationMicroseconds
    self.method = method
    self.path = path
    self.status = status
    self.head = head
    self.body = body
    self.answer = answer
    self.fault = fault
  }
}
