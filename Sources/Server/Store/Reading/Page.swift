/// A bounded part of an answer.
package struct Page<Element: Sendable, Cursor: Sendable>: Sendable {
  package var elements: [Element]
  /// Where the next page starts; nil at the end. A page may hold fewer elements than were asked for, even none, and still
  /// have a next one.
  package var next: Cursor?
}
