/// What is being run.
package enum Product {
  package static let name = "Rolling Road"
  /// Semantic version; CHANGELOG.md says what came with it.
  package static let version = "0.1.0"
}
