package import Base
import Contract
import HTTP1
import HTTPService
package import Network
import Synchronization

/// Serves the current figures of a run: `GET /metrics`, for Prometheus and compatible readers.
package final class MetricsListener: Sendable {
  private let page = MetricsPage()
  private let service: HTTPService
  private let clock = SystemClock()
  private let shownAt = Mutex<MonotonicInstant?>(nil)

  private let renewal: Nanoseconds

  /// Listens at an address such as `127.0.0.1:9464`; with port 0 the kernel chooses one. The figures are renewed at most
  /// once per `renewal`.
  package init(listen: String, renewal: Nanoseconds = .seconds(1)) throws(NetworkError) {
    self.renewal = renewal
    var behaviour = ServiceBehaviour { [page] in .answer(MetricsListener.answer($0, with: page)) }
    // Scrapes are seconds apart, so keeping connections gains nothing.
    behaviour.isOneToAConnection = true
    behaviour.refusal = { .text($0.status, $0.reason + "\n") }
    service = try HTTPService(listen: listen, behaviour)
  }

  private static func answer(_ request: ServiceRequest, with page: MetricsPage) -> ServiceAnswer {
    guard request.path == ["metrics"] else { return .text(404, "the figures of the run are at /metrics\n") }
    guard request.method == .get || request.method == .head else {
      return .text(405, "only GET and HEAD\n").with(HeaderName.allow, "GET, HEAD")
    }
    return ServiceAnswer(200, ExpositionPage.contentType, page.text)
  }

  package var url: String { "http://\(service.address)/metrics" }
  package var port: UInt16 { service.address.port }

  /// Must be called regularly by the thread of the run.
  package func show(_ measures: Measures) {
    let now = clock.monotonicNow
    let isDue = shownAt.withLock { last in
      if let last, now - last < renewal { return false }
      last = now
      return true
    }
    if isDue { page.show(measures.exposition) }
  }

  package func stop() { service.stop() }
}

/// The current page; the run writes it, the listener reads it.
final class MetricsPage: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func show(_ page: [UInt8]) { bytes.withLock { $0 = page } }
  var text: [UInt8] { bytes.withLock { $0 } }
}

/// A page in the Prometheus text exposition format 0.0.4,
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
///
/// The samples of a family follow its header.
struct ExpositionPage {
  static let contentType = MetricsRegistry.contentType

  private(set) var bytes: [UInt8] = []

  enum Kind: String {
    case counter, gauge, summary
  }

  /// Begins a family with its header.
  mutating func begin(_ name: String, _ kind: Kind, help: String) {
    append("# HELP \(name) ")
    append(escaped: help, quotes: false)
    append("\n# TYPE \(name) \(kind.rawValue)\n")
  }

  mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
    append(name)
    for (index, label) in labels.enumerated() {
      append(index == 0 ? "{\(label.name)=\"" : ",\(label.name)=\"")
      append(escaped: label.value, quotes: true)
      append("\"")
    }
    append(labels.isEmpty ? " \(value)\n" : "} \(value)\n")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends with escapes: help text escapes backslash and line feed; a label value, which is quoted, the quote as well.
  private mutating func append(escaped text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\"") where quotes: append("\\\"")
      default: bytes.append(byte)
      }
    }
  }
}
