package import Store

/// A piece of a long content, and where the next one comes from.
package struct ContentPage: Sendable {
  /// Reads a page, on a thread of the store's readers, when the client has taken nearly all of the one before. What it
  /// remembers is the place where it goes on.
  package typealias Source = @Sendable (StoreReader) throws(StoreError) -> ContentPage

  /// May be empty.
  var bytes: [UInt8]
  /// Nil behind the last page.
  var next: Source?
}
