internal import Base
import Contract

/// The next page of a list, from `Link: <…>; rel="next"` (RFC 8288 §3).
package enum PageLink {
  /// Returns the absolute URL; nil on the last page.
  package static func next(in head: AnswerHead, from page: String) -> String? {
    for field in head.fields where field.name.isSameName(HeaderName.link.description) {
      for link in links(in: field.value) where isNext(link.parameters) { return resolve(link.target, from: page) }
    }
    return nil
  }

  /// Splits the links of a header; a comma inside the brackets belongs to the URL.
  private static func links(in value: String) -> [(target: Substring, parameters: Substring)] {
    var links: [(Substring, Substring)] = []
    var rest = value[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let after = rest[rest.index(after: close)...]
      let end = after.firstIndex(of: "<") ?? after.endIndex
      links.append((rest[rest.index(after: open)..<close], after[..<end]))
      rest = after[end...]
    }
    return links
  }

  private static func isNext(_ parameters: Substring) -> Bool {
    parameters.split(whereSeparator: { $0 == ";" || $0 == "," }).contains { parameter in
      let parts = parameter.lowercased().split(separator: "=", maxSplits: 1).map { part in
        part.split(whereSeparator: { $0.isWhitespace || $0 == "\"" })
      }
      return parts.count == 2 && parts[0] == ["rel"] && parts[1].contains("next")
    }
  }

  /// Resolves a reference (RFC 3986 §4.2): an absolute URL, or one that starts with its authority, its path or its query.
  package static func resolve(_ target: Substring, from page: String) -> String {
    if URLParts(String(target)).isHTTP { return String(target) }
    let page = URLParts(page)
    if target.hasPrefix("//") { return String(page.scheme.dropLast(2) + target) }
    if target.hasPrefix("/") { return page.origin + target }
    let plain = page.path.prefix { $0 != "?" }
    if target.hasPrefix("?") { return page.origin + plain + target }
    let folder = plain.lastIndex(of: "/").map { plain[...$0] } ?? "/"
    return page.origin + folder + target
  }
}

extension String {
  /// The text, encoded as one path segment (RFC 3986 §2.3).
  package var percentEncoded: String {
    var text = ""
    for byte in utf8 {
      let scalar = UnicodeScalar(byte)
      if scalar.properties.isASCIIHexDigit || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        || "-._~".unicodeScalars.contains(scalar)
      {
        text.unicodeScalars.append(scalar)
      } else {
        text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
