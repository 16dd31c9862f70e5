/// Escapes text for XML and HTML.
package enum XML {
  /// For content and for attributes in double quotes. Characters that XML 1.0 §2.2 does not allow are replaced by U+FFFD.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: append(scalar, to: &escaped)
      }
    }
    return escaped
  }

  /// For the content of an element, on one line: quotes stay, and line breaks become spaces.
  package static func escaped(line text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t", "\n", "\r": escaped += " "
      default: append(scalar, to: &escaped)
      }
    }
    return escaped
  }

  private static func append(_ scalar: Unicode.Scalar, to escaped: inout String) {
    switch scalar {
    case "&": escaped += "&amp;"
    case "<": escaped += "&lt;"
    case ">": escaped += "&gt;"
    case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
    case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
    default: escaped.unicodeScalars.append(scalar)
    }
  }
}
