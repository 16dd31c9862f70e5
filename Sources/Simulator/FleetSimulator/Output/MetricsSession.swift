import Base
import HTTP1
import Network

/// One connection of somebody who reads the metrics: a request, its answer, the end. Scrapes are seconds apart, so that
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
    HeadWriter.field("Content-Type", type, into: &output.bytes)
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
