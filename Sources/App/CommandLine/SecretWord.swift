internal import Base
import FleetSimulator

/// A word of a command line that may be written into reports.
enum SecretWord {
  /// Parts of the names of keys, in scenarios and in headers, whose values are secret.
  private static let names = ["authorization", "token", "password", "secret", "cookie", "api-key", "apikey", "headers"]

  /// The word without passwords in URLs, and without the value of an override that sets something secret.
  static func removed(from word: String) -> String {
    if let equals = word.firstIndex(of: "="), names.contains(where: word.lowercased().contains) {
      return word[...equals] + "…"
    }
    return word.contains("://") ? URLParts(word).withoutUser : word
  }
}
