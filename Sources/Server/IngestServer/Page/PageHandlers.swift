import Base
import CEmbedded
import Contract
import TLS

/// Serves the live page.
struct PageHandlers: Sendable {
  private let files: [String: PageFile]
  private let policy: String
  /// The trust page; nil without a development authority.
  private let trust: TrustPage?

  init(tiles: MapTiles?, trust: TrustPage?) {
    var files = PageFile.embedded
    if let index = files["index.html"] {
      var bytes = tiles.map { Self.naming($0, in: index.bytes) } ?? index.bytes
      if trust != nil { bytes = Self.linking(TrustPage.name, in: bytes) }
      files["index.html"] = PageFile(mediaType: index.mediaType, bytes: bytes)
    }
    self.files = files
    self.trust = trust
    policy = PageFile.policy(images: tiles?.origin)
  }

  private static let tilesMark = #"<meta name="tiles" content="">"#

  private static func naming(_ tiles: MapTiles, in page: [UInt8]) -> [UInt8] {
    let meta = #"<meta name="tiles" content="\#(tiles.url)" data-credit="\#(XML.escaped(tiles.credit))">"#
    return Array(String(decoding: page, as: UTF8.self).replacing(tilesMark, with: meta).utf8)
  }

  private static func linking(_ page: String, in index: [UInt8]) -> [UInt8] {
    let link = #"<a href="page/\#(page)">Trust</a></header>"#
    return Array(String(decoding: index, as: UTF8.self).replacing("</header>", with: link).utf8)
  }

  /// `GET /` and `GET /page/{file}`, its parts.
  func file(_ exchange: Exchange) -> Reply {
    let name = exchange.parameters.first ?? "index.html"
    if let answer = trust?.answer(name, at: exchange.origin) { return .answer(guarded(answer, caching: "no-store")) }
    return .answer(answer(name, unless: exchange.ifNoneMatch))
  }

  /// A browser caches a file and revalidates it at each use: after an update it never mixes old and new files.
  private func answer(_ name: String, unless known: String?) -> Response {
    guard let file = files[name] else { return .notFound }
    let isKnown = file.isKnown(by: known)
    let answer = Response(isKnown ? 304 : 200, file.mediaType, isKnown ? [] : file.bytes)
    return guarded(answer.with(HeaderName.eTag, file.entityTag), caching: "no-cache")
  }

  private func guarded(_ answer: Response, caching: String) -> Response {
    answer.with(HeaderName.cacheControl, caching)
      .with(HeaderName.contentSecurityPolicy, policy).with(HeaderName.contentTypeOptions, "nosniff")
      .with(HeaderName.referrerPolicy, "no-referrer").with(HeaderName.crossOriginOpenerPolicy, "same-origin")
      .with(HeaderName.crossOriginResourcePolicy, "same-origin")
  }
}

/// A file of the folder `page`, embedded in the executable.
package struct PageFile: Sendable {
  package let mediaType: StaticString
  package let bytes: [UInt8]
  /// A strong validator: the same bytes have the same tag (RFC 9110 §8.8.3).
  package let entityTag: String

  init(mediaType: StaticString, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
    var tag: [UInt8] = []
    Base64URL.append(Array(Cryptography.sha256(bytes).prefix(12)), to: &tag)
    entityTag = "\"\(String(decoding: tag, as: UTF8.self))\""
  }

  /// The files of the live page by name, as of compilation.
  package static let embedded = unsafe read { unsafe rr_page_files($0) }
  /// The files of the control room, which also uses some of the live page.
  package static let room = unsafe read { unsafe rr_room_files($0) }

  private static func read(
    _ files: (UnsafeMutablePointer<Int>) -> UnsafePointer<rr_page_file>
  ) -> [String: PageFile] {
    var found: [String: PageFile] = [:]
    var count = 0
    let list = unsafe files(&count)
    for index in 0..<count {
      let name = unsafe String(cString: list[index].name)
      let bytes = unsafe Array(UnsafeBufferPointer(start: list[index].bytes, count: list[index].count))
      found[name] = PageFile(mediaType: mediaType(of: name), bytes: bytes)
    }
    return found
  }

  /// Returns whether `If-None-Match` shows that the browser has this file.
  package func isKnown(by entries: String?) -> Bool {
    entries.map { $0 == "*" || $0.split(separator: ",").contains { Self.tag($0) == entityTag } } ?? false
  }

  /// Returns an entry of `If-None-Match` for weak comparison (RFC 9110 §13.1.2).
  private static func tag(_ entry: Substring) -> Substring {
    let text = entry.drop { $0 == " " }.prefix { $0 != " " }
    return text.hasPrefix("W/") ? text.dropFirst(2) : text
  }

  /// Forbids loading from other origins, inline scripts, and framing.
  package static func policy(images origin: String?) -> String {
    let images = origin.map { " \($0)" } ?? ""
    return [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:\(images)",
      "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
      "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
  }

  private static func mediaType(of name: String) -> StaticString {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: preconditionFailure("\(name) has an ending without a media type")
    }
  }
}

/// The contracts of the folder `openapi`, embedded in the executable.
package enum ContractFile {
  static let bytes: [UInt8] = unsafe Array(UnsafeBufferPointer(start: rr_contract(), count: rr_contract_count()))
  /// openapi/control-room.json.
  package static let room: [UInt8] = unsafe Array(
    UnsafeBufferPointer(start: rr_room_contract(), count: rr_room_contract_count()))
}
