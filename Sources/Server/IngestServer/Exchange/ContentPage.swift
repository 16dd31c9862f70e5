package import Store

/// A piece of a long content, and where the next one comes from.
package struct ContentPage: Sendable {
  /// Reads a page when the client has taken nearly all of the one before. What it remembers is the place where it goes on.
  package enum Source: Sendable {
    /// On a thread of the store's readers.
    case store(@Sendable (StoreReader) throws(StoreError) -> ContentPage)
    /// On the journal's thread.
    case journal(@Sendable (Journal) throws(StoreError) -> ContentPage)
  }

  /// May be empty.
  var bytes: [UInt8]
  /// Nil behind the last page.
  var next: Source?
}
