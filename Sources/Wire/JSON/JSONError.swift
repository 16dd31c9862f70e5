/// Why a text was refused, and where.
///
/// For a syntax error `offset` is that of the first byte at which the input can no longer be the beginning of a JSON text; a
/// text that merely ends too early gives `unexpectedEnd` with the length of the input. For the other codes it is the offset of
/// the first byte of the value (or key) concerned.
package struct JSONError: Error, Equatable {
  /// The kind of error. The first group concerns syntax (RFC 8259), the second limits, the third the caller's expectation.
  package enum Code: String, Sendable {
    case unexpectedEnd
    case expectedValue
    case expectedKey
    case expectedColon
    case expectedCommaOrClosing
    case unexpectedByteAfterText
    case invalidNumber
    case controlCharacterInText
    case invalidEscape
    case loneSurrogate
    case invalidUTF8

    case tooDeep
    case numberTooLarge

    case wrongKind
    case integerOutOfRange
    case duplicateKey
  }

  package let code: Code
  /// In bytes from the start of the reader's span.
  package let offset: Int

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }
}

extension JSONError: CustomStringConvertible {
  package var description: String { "\(explanation) at byte \(offset)" }

  /// The description of the error, without its place.
  package var explanation: String {
    switch code {
    case .unexpectedEnd: "the text ends too early"
    case .expectedValue: "a value must begin here"
    case .expectedKey: "a key in quotes was expected"
    case .expectedColon: "a colon must follow the key"
    case .expectedCommaOrClosing: "a comma or the closing bracket must follow"
    case .unexpectedByteAfterText: "nothing may follow the value"
    case .invalidNumber: "the number is malformed"
    case .controlCharacterInText: "a control character must be escaped"
    case .invalidEscape: "the escape is malformed"
    case .loneSurrogate: "an escaped surrogate has no partner"
    case .invalidUTF8: "the text is not UTF-8"
    case .tooDeep: "objects and arrays are nested too deep"
    case .numberTooLarge: "the number is beyond the range of a double"
    case .wrongKind: "the value is of another kind than expected"
    case .integerOutOfRange: "the integer does not fit into 64 bits"
    case .duplicateKey: "the key occurs twice in one object"
    }
  }
}
