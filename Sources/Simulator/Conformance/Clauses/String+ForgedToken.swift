import Base
import JSON

/// Tokens that were never given.
extension String {
  /// The token with one letter of its last quarter changed, or of the signature of a JWT; nil if it is too short.
  var withAnotherLetter: String? {
    var letters = Array(utf8)
    let signature = letters.count { $0 == UInt8(ascii: ".") } == 2 ? letters.lastIndex(of: UInt8(ascii: ".")) : nil
    let begin = signature.map { $0 + 1 } ?? letters.count * 3 / 4
    // The last letters of base64 may have unused bits.
    let place = begin + (letters.count - begin) / 2
    guard letters.count >= 8, place < letters.count - 1 else { return nil }
    let isUnchanged = letters[place] == UInt8(ascii: "a")
    letters[place] = UInt8(ascii: isUnchanged ? "b" : "a")
    return String(decoding: letters, as: UTF8.self)
  }

  /// The token without the second half of its last quarter, or of the signature of a JWT: what is compared by its beginning only
  /// may be guessed. Nil if it is too short.
  var withoutItsEnd: String? {
    guard withAnotherLetter != nil else { return nil }
    let signature = split(separator: ".", omittingEmptySubsequences: false)
    let last = signature.count == 3 ? signature[2].utf8.count : utf8.count / 4
    return String(dropLast(last / 2))
  }

  /// A JWT with the same claims and `alg: none`, which is unsigned (RFC 7519 §6.1); nil for a token of another form.
  func unsigned(as algorithm: String = "none", keepingSignature: Bool = false) -> String? {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty, let bytes = Base64URL.decode(Array(parts[0].utf8)[...]) else {
      return nil
    }
    do {
      guard case .object(var header) = try JSONValue(parsing: bytes.span, reading: .lenient), header["alg"] != nil
      else { return nil }
      header["alg"] = .string(algorithm)
      return Base64URL.encode(JSONValue.object(header).serialized) + ".\(parts[1])."
        + (keepingSignature ? parts[2] : "")
    } catch { return nil }
  }
}
