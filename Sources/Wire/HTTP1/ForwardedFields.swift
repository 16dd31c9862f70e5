/// The header fields that a proxy forwards (RFC 9110 §7.6.1).
extension HeadFields {
  /// Fields that the caller writes itself, or omits.
  package struct Omission: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let host = Omission(rawValue: 1)
    package static let contentLength = Omission(rawValue: 2)
    package static let expect = Omission(rawValue: 4)
    package static let contentType = Omission(rawValue: 8)
    package static let maxForwards = Omission(rawValue: 16)
  }

  /// Appends the end-to-end field lines, in order and byte for byte: fields named by `Connection` are left out, and so are
  /// hop-by-hop fields whether it names them or not. Trailers are not forwarded, nor their announcement. The length of the body
  /// is kept even if `Connection` names it: otherwise the body would be read as a message of its own.
  package func appendEndToEnd(omitting omission: Omission = [], into out: inout [UInt8]) {
    let bytes = self.bytes.span
    let namesOthers = connectionNamesOthers
    for field in list {
      let name = bytes.extracting(field.name.bounds)
      if HeadFields.isOfHop(name) || HeadFields.omits(name, omission) { continue }
      if namesOthers, !name.equals(lowercase: "content-length"), isNamedByConnection(name) { continue }
      out.append(copying: bytes.extracting(field.name.lowerBound..<field.value.upperBound))
      out.append("\r\n")
    }
  }

  /// Compares by length first, as for known fields.
  private static func isOfHop(_ name: Span<UInt8>) -> Bool {
    switch name.count {
    case 2: name.equals(lowercase: "te")
    case 7: name.equals(lowercase: "upgrade") || name.equals(lowercase: "trailer")
    case 10: name.equals(lowercase: "connection") || name.equals(lowercase: "keep-alive")
    case 16: name.equals(lowercase: "proxy-connection")
    case 17: name.equals(lowercase: "transfer-encoding")
    default: false
    }
  }

  private static func omits(_ name: Span<UInt8>, _ omission: Omission) -> Bool {
    switch name.count {
    case 4: omission.contains(.host) && name.equals(lowercase: "host")
    case 6: omission.contains(.expect) && name.equals(lowercase: "expect")
    case 12:
      omission.contains(.contentType) && name.equals(lowercase: "content-type")
        || omission.contains(.maxForwards) && name.equals(lowercase: "max-forwards")
    case 14: omission.contains(.contentLength) && name.equals(lowercase: "content-length")
    default: false
    }
  }

  /// Whether `Connection` has options other than those about persistence.
  private var connectionNamesOthers: Bool {
    guard value(.connection) != nil else { return false }
    var names = false
    forEachOption { option in
      if !option.isEmpty, !option.equals(lowercase: "close"), !option.equals(lowercase: "keep-alive") { names = true }
    }
    return names
  }

  private func isNamedByConnection(_ name: Span<UInt8>) -> Bool {
    var isNamed = false
    forEachOption { option in if option.isSameText(name) { isNamed = true } }
    return isNamed
  }

  private func forEachOption(_ body: (Span<UInt8>) -> Void) {
    do throws(HTTPError) {
      try forEachElement(of: .connection) { (option, _) throws(HTTPError) in body(option) }
    } catch { preconditionFailure("nothing in here throws") }
  }
}

extension Span<UInt8> {
  /// Compares tokens, ignoring the case of ASCII letters.
  fileprivate func isSameText(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices {
      let isLetter = (self[index] | 0x20) &- UInt8(ascii: "a") < 26
      guard self[index] == other[index] || (isLetter && self[index] ^ other[index] == 0x20) else { return false }
    }
    return true
  }
}
