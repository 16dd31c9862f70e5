/// One field line: where its name and its value stand in the head's bytes. White space around the value is left out.
package struct HeadField: Sendable, Equatable {
  package let name: ByteRange
  package let value: ByteRange
}
