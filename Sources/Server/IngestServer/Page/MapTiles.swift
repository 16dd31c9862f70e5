/// Where the page's map has its tiles from. Without them it draws the graticule alone and asks nobody but this server.
public struct MapTiles: Sendable, Equatable {
  /// With `{z}`, `{x}` and `{y}` in it.
  let url: String
  /// Scheme, host and port: the one stranger whose images the page may show.
  let origin: String
  /// Whom the map names as its source; most providers ask for it.
  let credit: String

  /// Nil when it is no address of tiles. The text becomes part of a header field and of the page, so that only what a URL
  /// needs may stand in it.
  public init?(url: String, credit: String = "") {
    guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
    let isPlain = url.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._~:/?@=&{}%[]".utf8.contains(byte)
      }
    }
    let host = url.dropFirst(scheme.count).prefix { $0 != "/" }
    guard isPlain, !host.isEmpty, !host.contains("{"), !host.contains("@"), !host.contains("?"),
      ["{z}", "{x}", "{y}"].allSatisfy({ url.contains($0) })
    else { return nil }
    self.url = url
    self.credit = credit
    origin = scheme + host
  }
}
