import Base
import Contract
import HTTP1
package import Store
import Synchronization

/// Selects the requests to record, and passes them to the journal's thread. A request never waits for it.
package final class JournalRecorder: Sendable {
  private let writer: JournalWriter
  /// The recorded share of the requests, 0 to 1.
  let share: Double
  private let seed: UInt64
  private let count = Atomic<UInt64>(0)
  private let post: @Sendable (SessionMessage, SessionAddress) -> Void

  /// `share` of the requests is recorded, 0 to 1, selected by the seed and the number of the request.
  package init(
    _ writer: JournalWriter, share: Double, seed: UInt64,
    post: @escaping @Sendable (SessionMessage, SessionAddress) -> Void
  ) {
    self.writer = writer
    self.share = share
    self.seed = seed
    self.post = post
  }

  /// Returns whether the next request is recorded.
  func takesNext() -> Bool {
    let n = count.wrappingAdd(1, ordering: .relaxed).oldValue
    if share >= 1 { return true }
    var stream = RandomStream(seed: seed, device: 0, concern: 0, n: n)
    return stream.chance(share)
  }

  func record(_ entry: JournalEntry?, sent records: [LedgerRecord] = []) { writer.record(entry, sent: records) }

  /// Asks on the journal's thread; the answer is sent to the address. Returns false when the journal is stopping.
  func ask(_ question: @escaping @Sendable (Journal) -> SessionMessage, _ address: SessionAddress) -> Bool {
    writer.ask { [post] in post(question($0), address) }
  }

  package func stop() { writer.stop() }
}

/// The parts of a head for the journal, copied because the head is overwritten before the answer is known.
struct JournalDraft {
  /// The number of bytes kept of a body or an answer.
  static let bytesMax = JournalEntry.contentBytesMax
  private static let secrets = [HeaderName.authorization, HeaderName.proxyAuthorization, HeaderName.cookie]

  let method: String
  let path: String
  let head: [UInt8]
  private let bodyBytesMax: Int

  init(_ head: borrowing RequestHead, _ operation: DeviceOperation?, keepingOfBody bytesMax: Int = bytesMax) {
    bodyBytesMax = bytesMax
    method = head.fields.text(head.methodBytes) ?? ""
    // The query of a log upload contains its key.
    let range = operation == .uploadDeviceLog ? head.path : head.target
    path = head.fields.text(range) ?? ""
    var lines: [UInt8] = []
    lines.reserveCapacity(head.fields.list.reduce(0) { $0 + Int($1.name.count + $1.value.count) + 3 })
    for field in head.fields.list {
      let name = head[field.name]
      lines.append(copying: name)
      lines.append(UInt8(ascii: ":"))
      lines.append(UInt8(ascii: " "))
      if JournalDraft.secrets.contains(where: { name.isSameName($0) }) {
        lines += Array("(secret)".utf8)
      } else {
        lines.append(copying: head[field.value])
      }
      lines.append(UInt8(ascii: "\n"))
    }
    self.head = lines
  }

  func entry(_ exchange: Exchange, _ response: Response, durationMicroseconds: Int64) -> JournalEntry {
    let operation = exchange.route.deviceOperation
    let isSecret = JournalDraft.isSecret(operation)
    return JournalEntry(
      run: exchange.run, device: exchange.device.isEmpty ? nil : exchange.device,
      receivedAt: exchange.receivedAt.millisecondsSince1970, durationMicroseconds: durationMicroseconds, method: method,
      path: path, status: response.status, head: head,
      body: isSecret ? [] : JournalDraft.bound(exchange.body, to: bodyBytesMax),
      isBodyWhole: !isSecret && exchange.isBodyWhole && exchange.body.count <= bodyBytesMax,
      answer: isSecret ? [] : JournalDraft.bound(response.body, to: JournalDraft.bytesMax),
      fault: exchange.faultName)
  }

  /// Refresh tokens are as sensitive as passwords.
  static func isSecret(_ operation: DeviceOperation?) -> Bool {
    operation == .registerDevice || operation == .refreshToken
  }

  private static func bound(_ bytes: [UInt8], to bytesMax: Int) -> [UInt8] {
    bytes.count <= bytesMax ? bytes : Array(bytes[..<bytesMax])
  }
}
