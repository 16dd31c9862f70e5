/// The `id` of an event in a stream: the server and the number, `1785263663000.42`.
struct EventID: Equatable, Sendable {
  let epoch: Int64
  let number: UInt64

  init(epoch: Int64, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }

  /// Nil for a text that is no such id.
  init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = Int64(parts[0]), let number = UInt64(parts[1]) else { return nil }
    self.init(epoch: epoch, number: number)
  }

  var text: String { "\(epoch).\(number)" }
}
