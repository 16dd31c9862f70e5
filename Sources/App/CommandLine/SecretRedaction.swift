internal import Base
import FleetSimulator

/// Redacts words of a command line for reports.
enum SecretRedaction {
  /// Parts of the names of keys, in scenarios and in headers, whose values are secret.
  private static let names = ["authorization", "token", "password", "secret", "cookie", "api-key", "apikey", "headers"]

  /// Returns the word without passwords in URLs, and without the value of an override that sets a secret.
  static func removed(from word: String) -> String {
    if let equals = word.firstIndex(of: "="), names.contains(where: word.lowercased().contains) {
      return word[...equals] + "…"
    }
    return word.contains("://") ? URLParts(word).withoutUser : word
  }
}
