import Glibc
import HTTP1

/// One realistic upload head of 400 bytes: nanoseconds per parse beside a walk over its lines with `memchr`, which is
/// what no parser can beat that looks at every byte.
enum HeadBench {
  static let head = text(
    "POST /locations HTTP/1.1",
    "Host: ingest.example.com:8080",
    "Content-Type: application/json; charset=utf-8",
    "Accept-Encoding: gzip, deflate",
    "User-Agent: okhttp/4.12.0 (Android 15; Pixel 8)",
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXZpY2UtMDAwMDAwMDAwMSIsIm9yZyI6ImFjbWUiLCJleHAiOjE3"
      + "NjM2ODAwMDB9.Qm9uam91ci1sZS1tb25kZS1ib25qb3VyLWxlLW1vbmRl",
    "Connection: Keep-Alive",
    "Content-Length: 12345")

  private static let rounds = 41
  private static let parsesPerRound = 20_000

  static func run() {
    let bytes = head
    var head = RequestHead()
    var parsing: [Double] = []
    var walking: [Double] = []
    var sink = 0
    // Interleaved, so that a busy neighbour on the machine slows both.
    for _ in 0..<rounds {
      parsing.append(nanoseconds { sink &+= parse(bytes, into: &head) })
      walking.append(nanoseconds { sink &+= walk(bytes) })
    }
    let parseTime = median(parsing)
    let walkTime = median(walking)
    print(
      "http1 head of \(bytes.count) bytes: parse \(rounded(parseTime)) ns, memchr walk \(rounded(walkTime)) ns,",
      terminator: " ")
    print("ratio \(rounded(parseTime / walkTime)), check \(sink % 10)")
  }

  private static func text(_ lines: String...) -> [UInt8] {
    Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  @inline(never)
  private static func parse(_ bytes: [UInt8], into head: inout RequestHead) -> Int {
    var parser = RequestParser()
    do throws(HTTPError) {
      return try parser.next(bytes.span, into: &head).taken
    } catch {
      preconditionFailure("the benchmark's head was refused: \(error)")
    }
  }

  @inline(never)
  private static func walk(_ bytes: [UInt8]) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      var lines = 0
      guard var place = buffer.baseAddress else { return 0 }
      let end = unsafe place + buffer.count
      while unsafe place < end, let found = unsafe memchr(place, 10, end - place) {
        lines += 1
        unsafe place = UnsafeRawPointer(found) + 1
      }
      return lines
    }
  }

  private static func nanoseconds(_ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let elapsed = clock.measure { for _ in 0..<parsesPerRound { body() } }
    return (Double(elapsed.components.seconds) * 1e9 + Double(elapsed.components.attoseconds) / 1e9)
      / Double(parsesPerRound)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
  private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
