/// What is being run.
enum Product {
  /// Semantic version; CHANGELOG.md says what came with it.
  static let version = "0.1.0"
}
