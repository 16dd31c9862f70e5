/// Why a message was refused. A server answers `status` and closes the connection: after a framing error it is unknown
/// where the next message begins.
package struct HTTPError: Error, Equatable, Sendable {
  package let code: Code

  /// The number of bytes from the first byte of the message (including empty lines before it) to the one that decided; for a
  /// body helper, from the start of the body.
  package let offset: Int

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// The status that a server answers. For a refused *response* it has no meaning.
  package var status: Int { code.status }

  /// A sentence for the log and for the body of the answer. It never repeats bytes of the message.
  package var reason: String { code.rawValue }
}

extension HTTPError {
  /// The violated rule; the raw value is the sentence for people.
  package enum Code: String, Sendable, CaseIterable {
    // Start line
    case malformedRequestLine = "request line is not 'method SP target SP version' (RFC 9112 §3)"
    case malformedStatusLine = "status line is not 'version SP status SP reason' (RFC 9112 §4)"
    case tooManyEmptyLines = "too many empty lines before the request line"
    case methodTooLong = "method is longer than any that is implemented (RFC 9112 §3)"
    case methodNotImplemented = "method CONNECT is not implemented"
    case targetTooLong = "request target is too long (RFC 9112 §3)"
    case versionNotSupported = "only HTTP/1.0 and HTTP/1.1 are spoken here (RFC 9110 §15.6.6)"

    // Target
    case invalidTarget = "request target has none of the forms that suit its method (RFC 9112 §3.2)"
    case invalidTargetCharacter = "character is not allowed in a request target (RFC 3986 §3)"
    case invalidEscape = "percent sign is not followed by two hexadecimal digits (RFC 3986 §2.1)"
    case controlInPath = "path decodes to a control character"
    case dotSegment = "path has a '.' or '..' segment"
    case pathNotUTF8 = "path does not decode to UTF-8"

    // Lines and fields
    case bareLineFeed = "line feed without carriage return (RFC 9112 §2.2)"
    case bareCarriageReturn = "carriage return without line feed (RFC 9112 §2.2)"
    case foldedLine = "line begins with white space (RFC 9112 §5.2)"
    case spaceBeforeColon = "white space between field name and colon (RFC 9112 §5.1)"
    case missingColon = "field line has no colon (RFC 9112 §5)"
    case invalidFieldName = "character is not allowed in a field name (RFC 9110 §5.1)"
    case invalidFieldValue = "control character in a field value (RFC 9110 §5.5)"
    case headTooLarge = "head is too large (RFC 6585 §5)"
    case tooManyFields = "head has too many fields (RFC 6585 §5)"

    // Meaning of the fields
    case missingHost = "HTTP/1.1 request without Host (RFC 9112 §3.2)"
    case repeatedHost = "more than one Host (RFC 9112 §3.2)"
    case invalidHost = "host is not a valid 'host:port' (RFC 9112 §3.2)"
    case lengthAndEncoding = "both Content-Length and Transfer-Encoding (RFC 9112 §6.3)"
    case repeatedLength = "more than one Content-Length (RFC 9112 §6.3)"
    case invalidLength = "Content-Length is not a plain decimal number (RFC 9112 §6.3)"
    case encodingInHTTP10 = "Transfer-Encoding in an HTTP/1.0 message (RFC 9112 §6.1)"
    case invalidEncoding = "Transfer-Encoding is not a list that ends with one chunked (RFC 9112 §6.3)"
    case unknownEncoding = "transfer coding is not implemented (RFC 9112 §6.1)"
    case unknownExpectation = "expectation cannot be met (RFC 9110 §10.1.1)"
    case invalidConnection = "Connection is not a list of tokens (RFC 9110 §7.6.1)"
    case bodyTooLarge = "body is too large (RFC 9110 §15.5.14)"
    case upgradeNotExpected = "switching protocols was not asked for"

    // Chunks
    case invalidChunkSize = "chunk size is not a hexadecimal number (RFC 9112 §7.1)"
    case chunkSizeTooLong = "chunk size has too many digits (RFC 9112 §7.1)"
    case invalidChunkExtension = "chunk extension is malformed (RFC 9112 §7.1.1)"
    case chunkExtensionsTooLarge = "chunk extensions are too large (RFC 9112 §7.1.1)"
    case missingChunkEnd = "chunk data is not followed by a line end (RFC 9112 §7.1)"
    case trailersTooLarge = "trailer section is too large (RFC 6585 §5)"
    case truncated = "connection ended inside the message (RFC 9112 §8)"

    // Body helpers
    case invalidMediaType = "media type is malformed (RFC 9110 §8.3.1)"
    case invalidForm = "form item is not valid percent-encoded UTF-8"
    case tooManyFormItems = "form has too many items"
    case invalidMultipart = "multipart body is malformed (RFC 2046 §5.1)"
    case invalidPartHead = "part of a multipart body has a malformed head (RFC 7578 §4.2)"
    case partHeadTooLarge = "part of a multipart body has too large a head"
    case tooManyParts = "multipart body has too many parts"

    package var status: Int {
      switch self {
      case .methodTooLong, .methodNotImplemented, .unknownEncoding: 501
      case .versionNotSupported: 505
      case .targetTooLong: 414
      case .headTooLarge, .tooManyFields, .trailersTooLarge, .partHeadTooLarge: 431
      case .bodyTooLarge, .chunkExtensionsTooLarge, .tooManyFormItems, .tooManyParts: 413
      case .unknownExpectation: 417
      default: 400
      }
    }
  }
}
