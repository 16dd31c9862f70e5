import CEmbedded

/// One file of the folder `page`, which is part of the executable.
struct PageFile: Sendable {
  let mediaType: StaticString
  let bytes: [UInt8]
  /// Strong: the same bytes, the same tag (RFC 9110 §8.8.3).
  let entityTag: String

  init(mediaType: StaticString, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
    var tag: [UInt8] = []
    Base64URL.append(Array(Cryptography.sha256(bytes).prefix(12)), to: &tag)
    entityTag = "\"\(String(decoding: tag, as: UTF8.self))\""
  }

  /// All of them by name, as they were when this was compiled.
  static let embedded: [String: PageFile] = {
    var files: [String: PageFile] = [:]
    var count = 0
    let list = unsafe rr_page_files(&count)
    for index in 0..<count {
      let name = unsafe String(cString: list[index].name)
      let bytes = unsafe Array(UnsafeBufferPointer(start: list[index].bytes, count: list[index].count))
      files[name] = PageFile(mediaType: mediaType(of: name), bytes: bytes)
    }
    return files
  }()

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
