/// All limits on what a peer may send, in bytes unless the name says otherwise. A message exactly at the limit passes; one
/// above is refused with the status in brackets. The figures are those of common servers, tightened where these leave something
/// unbounded (endless empty lines, endless zeros in a chunk size).
package struct HTTPLimits: Sendable, Equatable {
  /// Start line, fields and the empty line together, without the empty lines that may precede the start line [431].
  package var headBytes = 16 * 1024

  /// Field lines in a head [431].
  package var fieldCount = 100

  /// The request target as written in the request line [414].
  package var targetBytes = 8 * 1024

  /// The method; no registered method is longer than 17 bytes and none known to a server here is longer than 7 [501].
  package var methodBytes = 16

  /// Empty lines before a request line; RFC 9112 §2.2 asks for at least one [400].
  package var leadingEmptyLines = 4

  /// Digits of a chunk size, leading zeros included; sixteen hexadecimal digits fill 64 bits [400].
  package var chunkSizeDigits = 16

  /// Chunk extensions of a whole body, from the white space or semicolon to the end of each chunk-size line [413].
  package var chunkExtensionBytes = 4 * 1024

  /// Trailer field lines of a chunked body with their line ends [431].
  package var trailerBytes = 4 * 1024

  /// Content of a body, without its chunk framing [413].
  package var bodyBytes = 8 * 1024 * 1024

  /// Items of an urlencoded form or of a query [413].
  package var formItems = 1_000

  /// Parts of a multipart body [413].
  package var partCount = 100

  /// Header lines of one part of a multipart body with their line ends [431].
  package var partHeadBytes = 4 * 1024

  /// Requests on one connection before it is closed after an answer.
  package var requestsPerConnection = 10_000

  package init() {}

  /// The longest valid request line: method, target and version with two spaces and the line end.
  var requestLineBytes: Int { methodBytes + 1 + targetBytes + 1 + 8 + 2 }
}
