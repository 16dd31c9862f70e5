/// The name and version of the product.
package enum Product {
  package static let name = "Rolling Road"
  /// The semantic version; CHANGELOG.md lists its changes.
  package static let version = "0.1.0"
}
