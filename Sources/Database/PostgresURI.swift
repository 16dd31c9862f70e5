internal import Base

/// A URI of a PostgreSQL database, `postgresql://user:password@host/name?key=value`
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
package struct PostgresURI {
  /// The URI without a password and without parameters, which may be shown and logged.
  package let shown: String
  /// The secrets, as written and decoded.
  private let secrets: [String]

  private static let schemes = ["postgresql://", "postgres://"]
  private static let secretParameters = ["password", "sslpassword"]

  /// Returns nil for another name, which is an SQLite file.
  package init?(_ uri: String) {
    guard let scheme = PostgresURI.schemes.first(where: { uri.hasPrefix($0) }) else { return nil }
    let rest = uri.dropFirst(scheme.count)
    // For libpq the user and the password end with an @ before the first slash, even with a question mark in them.
    let at = rest.prefix { $0 != "/" }.lastIndex(of: "@")
    let place = at.map { rest[rest.index(after: $0)...] } ?? rest
    var found: [Substring] = rest.split { $0 == "?" || $0 == "&" }.compactMap { parameter in
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, PostgresURI.secretParameters.contains(String(parts[0])) else { return nil }
      return parts[1]
    }
    var user: Substring = ""
    if let at {
      user = rest[..<at]
      if let colon = user.firstIndex(of: ":") {
        found.append(user[user.index(after: colon)...])
        user = user[..<colon]
      }
      user = user.prefix { $0 != "?" } + "@"
    }
    shown = scheme + user + place.prefix { $0 != "?" && $0 != "&" }
    secrets = found.flatMap { [String($0), String($0).percentDecoded] }.filter { !$0.isEmpty }
      .sorted { $0.count > $1.count }
  }

  /// Removes the passwords from a message of the library, which may quote them.
  package func hidingSecrets(in text: String) -> String {
    secrets.reduce(text) { $0.replacing($1, with: "(secret)") }
  }
}

extension String {
  /// Decodes RFC 3986 §2.1; anything that is not a triplet is kept.
  fileprivate var percentDecoded: String {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(String(Substring(digits)), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
