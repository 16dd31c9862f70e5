package import Base
import Contract
import HTTP1
package import Network
import Synchronization

/// Lets others read the figures of a run while it goes on: `GET /metrics`, for Prometheus and whatever reads its text.
package final class MetricsListener: Sendable {
  private let page = MetricsPage()
  private let loops: LoopGroup<MetricsSession>
  private let clock = SystemClock()
  private let shownAt = Mutex<MonotonicInstant?>(nil)

  private let renewal: Nanoseconds

  /// Listens at `127.0.0.1:9464` or the like; port 0 lets the kernel choose. Scrapes come at most once a second.
  package init(listen: String, renewal: Nanoseconds = .seconds(1)) throws(NetworkError) {
    self.renewal = renewal
    loops = try LoopGroup(NetworkConfiguration(), on: ListenAddress(parsing: listen)) { [page] _, _ in
      { _ in MetricsSession(page) }
    }
  }

  package var url: String { "http://\(loops.address)/metrics" }
  package var port: UInt16 { loops.address.port }

  /// To be called now and then by the thread of the run.
  package func show(_ measures: Measures) {
    let now = clock.monotonicNow
    let isDue = shownAt.withLock { last in
      if let last, now - last < renewal { return false }
      last = now
      return true
    }
    if isDue { page.show(measures.exposition) }
  }

  package func stop() {
    loops.drain(within: .seconds(1))
    loops.wait()
  }
}

/// What is shown just now; the run writes, the listener reads.
final class MetricsPage: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func show(_ page: [UInt8]) { bytes.withLock { $0 = page } }
  var text: [UInt8] { bytes.withLock { $0 } }
}

/// One connection of a reader of the metrics: a request, its answer, the end. Scrapes are seconds apart, so that
/// nothing is gained by keeping it.
struct MetricsSession: ByteSession {
  typealias Message = Never

  private(set) var wishes = SessionWishes()
  private let page: MetricsPage
  private var parser = RequestParser()
  private var head = RequestHead()

  init(_ page: MetricsPage) { self.page = page }

  mutating func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    do throws(HTTPError) {
      let step = try parser.next(input, into: &head)
      if step.event == .needMoreInput {
        wishes.phase = parser.isIdle ? .idle : .head(message: 1)
        return step.taken
      }
      answer(&output)
    } catch {
      end(error.status, error.reason + "\n", &output)
    }
    return input.count
  }

  private mutating func answer(_ output: inout SessionOutput) {
    guard head.segments.count == 1, head.segment(0, is: "metrics") else {
      return end(404, "the figures of the run are at /metrics\n", &output)
    }
    switch head.method {
    case .get: end(200, page.text, as: ExpositionPage.contentType, &output)
    case .head: end(200, page.text, as: ExpositionPage.contentType, withoutContent: true, &output)
    default: end(405, "only GET and HEAD\n", &output)
    }
  }

  private mutating func end(_ status: Int, _ words: String, _ output: inout SessionOutput) {
    end(status, Array(words.utf8), as: "text/plain; charset=utf-8", &output)
  }

  private mutating func end(
    _ status: Int, _ content: [UInt8], as type: StaticString, withoutContent: Bool = false,
    _ output: inout SessionOutput
  ) {
    ResponseWriter.statusLine(status, into: &output.bytes)
    HeadWriter.field(HeaderName.contentType, type, into: &output.bytes)
    if status == 405 { HeadWriter.field("Allow", "GET, HEAD", into: &output.bytes) }
    HeadWriter.contentLength(content.count, into: &output.bytes)
    HeadWriter.field("Connection", "close", into: &output.bytes)
    HeadWriter.end(into: &output.bytes)
    if !withoutContent { output.bytes += content }
    wishes.phase = .answering
    wishes.wantsInput = false
    wishes.ending = .afterOutput
  }

  mutating func drain(_ output: inout SessionOutput) { wishes.ending = .afterOutput }
  mutating func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) { wishes.ending = .atOnce }
  mutating func inputEnded(_ output: inout SessionOutput) {}
  mutating func produce(_ output: inout SessionOutput) {}
  mutating func alarmRang(_ output: inout SessionOutput) {}
  mutating func deliver(_ message: Never, _ output: inout SessionOutput) {}
  mutating func closed(_ reason: CloseReason, now: MonotonicInstant) {}
}

/// A page in the Prometheus text exposition format 0.0.4,
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
///
/// All samples of a family follow its beginning.
struct ExpositionPage {
  static let contentType = MetricsRegistry.contentType

  private(set) var bytes: [UInt8] = []

  enum Kind: String {
    case counter, gauge, summary
  }

  /// Begins a family.
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

  /// Help text escapes backslash and line feed; the value of a label, which stands in quotes, the quote as well.
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
