import Base
import Contract
import HTTP1

/// One request on its way to its answer: what its head said, and its body as far as it has come.
struct Exchange {
  let target: Target
  let method: HTTPMethod
  let version: HTTPVersion
  let receivedAt: WallInstant
  let begunAt: MonotonicInstant
  /// Values of the fields that mean something here.
  let authorization: [UInt8]?
  let contentType: [UInt8]?
  let deviceHeader: String?
  /// The body is compressed.
  let isEncoded: Bool
  let query: [FormItem]
  /// The last event that a listener has seen.
  let lastEventID: String?
  var body: [UInt8] = []
  /// Whose request it is, as far as that is known; empty while it is not.
  var device: String
  /// Not nil when the request is written down.
  var draft: JournalDraft?
  /// What goes wrong with it on purpose.
  var fault: AppliedFault?
  /// Records that a fault keeps from the store although they are acknowledged.
  var withheld = 0

  /// What was asked for.
  struct Target {
    let operation: Operation
    /// The decoded segments that the route names.
    let parameters: [String]
    /// Empty for ordinary traffic.
    let run: String
  }

  func queryItem(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
