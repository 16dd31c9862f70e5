/// The live page as one server serves it.
struct PageSite: Sendable {
  private let files: [String: PageFile]
  private let policy: String

  init(tiles: MapTiles?) {
    var files = PageFile.embedded
    if let tiles, let index = files["index.html"] {
      files["index.html"] = PageFile(mediaType: index.mediaType, bytes: Self.naming(tiles, in: index.bytes))
    }
    self.files = files
    policy = Self.policy(images: tiles?.origin)
  }

  /// Nothing is taken from anywhere but this server, no text becomes a script, and nobody frames the page.
  private static func policy(images origin: String?) -> String {
    let images = origin.map { " \($0)" } ?? ""
    return [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:\(images)",
      "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
      "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
  }

  private static let tilesMark = #"<meta name="tiles" content="">"#

  private static func naming(_ tiles: MapTiles, in page: [UInt8]) -> [UInt8] {
    let meta = #"<meta name="tiles" content="\#(tiles.url)" data-credit="\#(escaped(tiles.credit))">"#
    return Array(String(decoding: page, as: UTF8.self).replacing(tilesMark, with: meta).utf8)
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "\"": escaped += "&quot;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
  }

  /// A browser keeps a file and asks each time whether it is still the one: after an update nobody sees half of each.
  func answer(_ name: String, unless known: String?) -> Response {
    guard let file = files[name] else { return .notFound }
    let isKnown =
      known.map { $0 == "*" || $0.split(separator: ",").contains { Self.tag($0) == file.entityTag } } ?? false
    return Response(isKnown ? 304 : 200, file.mediaType, isKnown ? [] : file.bytes)
      .with("ETag", file.entityTag).with("Cache-Control", "no-cache")
      .with("Content-Security-Policy", policy).with("X-Content-Type-Options", "nosniff")
      .with("Referrer-Policy", "no-referrer").with("Cross-Origin-Opener-Policy", "same-origin")
      .with("Cross-Origin-Resource-Policy", "same-origin")
  }

  /// An entry of `If-None-Match`, compared weakly (RFC 9110 §13.1.2).
  private static func tag(_ entry: Substring) -> Substring {
    let text = entry.drop { $0 == " " }.prefix { $0 != " " }
    return text.hasPrefix("W/") ? text.dropFirst(2) : text
  }
}

extension ServerContext {
  /// `GET /` and what it is made of, `GET /page/{file}`.
  func page(_ exchange: Exchange) -> Response {
    site.answer(exchange.parameters.first ?? "index.html", unless: exchange.opening.ifNoneMatch)
  }
}
