/// A URL of plain HTTP whose parts go onto the wire as they are written. libcurl has the last word on URLs: what it would
/// put in order first (dots in the path, a default port, a fragment, a name that is not ASCII) is left to it.
struct PlainURL {
  /// Host and port, positions in the URL's bytes.
  let authority: Range<Int>
  /// Path and query; empty for `/`.
  let target: Range<Int>

  private static let lengthMax = 8_192

  init?(_ url: Span<UInt8>) {
    let scheme: StaticString = "http://"
    guard url.count > scheme.utf8CodeUnitCount, url.count <= PlainURL.lengthMax else { return nil }
    for index in 0..<scheme.utf8CodeUnitCount where url[index] != PlainURL.byte(scheme, index) { return nil }
    let start = scheme.utf8CodeUnitCount
    var end = start
    while end < url.count, PlainURL.isOfHost(url[end]) { end += 1 }
    guard end > start, url[start] != UInt8(ascii: ":"), end == url.count || url[end] == UInt8(ascii: "/") else {
      return nil
    }
    guard !PlainURL.endsWithDefaultPort(url.extracting(start..<end)) else { return nil }
    for index in end..<url.count {
      let byte = url[index]
      guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { return nil }
      if byte == UInt8(ascii: "."), url[index - 1] == UInt8(ascii: "/") { return nil }
    }
    authority = start..<end
    target = end..<url.count
  }

  /// Lower-case names, numbers, and IPv6 addresses in brackets; no percent sign, no user.
  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }

  private static func endsWithDefaultPort(_ authority: Span<UInt8>) -> Bool {
    let count = authority.count
    guard count > 0, authority[count - 1] != UInt8(ascii: ":") else { return true }
    return count > 3 && authority[count - 3] == UInt8(ascii: ":") && authority[count - 2] == UInt8(ascii: "8")
      && authority[count - 1] == UInt8(ascii: "0")
  }

  private static func byte(_ text: StaticString, _ index: Int) -> UInt8 { unsafe text.utf8Start[index] }
}
