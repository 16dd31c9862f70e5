import Glibc
import HTTP1

/// An upload's request head of 400 bytes, read by the parser and walked line by line with `memchr`: the least that
/// anybody must do who looks at every byte.
struct HeadBench {
  private let text = Self.text(
    "POST /locations HTTP/1.1",
    "Host: ingest.example.com:8080",
    "Content-Type: application/json; charset=utf-8",
    "Accept-Encoding: gzip, deflate",
    "User-Agent: okhttp/4.12.0 (Android 15; Pixel 8)",
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXZpY2UtMDAwMDAwMDAwMSIsIm9yZyI6ImFjbWUiLCJleHAiOjE3"
      + "NjM2ODAwMDB9.Qm9uam91ci1sZS1tb25kZS1ib25qb3VyLWxlLW1vbmRl",
    "Connection: Keep-Alive",
    "Content-Length: 12345")

  func run() throws {
    try Rounds.run(
      title: "request head of \(text.count) bytes", baseline: parseWhole(), candidates: [memchrWalk(), parseInTwo()])
  }

  private func memchrWalk() -> Measure {
    Measure(name: "memchr walk", iterations: 20_000) { walk() }
  }

  private func parseWhole() -> Measure {
    var head = RequestHead()
    return Measure(name: "RequestParser", iterations: 20_000) {
      var parser = RequestParser()
      return try parser.next(text.span, into: &head).taken
    }
  }

  /// The head comes in two pieces, so that the first must be kept.
  private func parseInTwo() -> Measure {
    var head = RequestHead()
    let cut = text.count / 2
    return Measure(name: "RequestParser, head in two pieces", iterations: 20_000) {
      var parser = RequestParser()
      _ = try parser.next(text.span.extracting(..<cut), into: &head)
      return try parser.next(text.span.extracting(cut...), into: &head).taken
    }
  }

  private func walk() -> Int {
    unsafe text.withUnsafeBytes { buffer in
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

  private static func text(_ lines: String...) -> [UInt8] {
    Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
