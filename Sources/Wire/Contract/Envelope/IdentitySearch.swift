package import JSON

/// Finds the device that a body names, for servers without a better source: `device_id`, else `deviceId`, else `device.uuid`; a
/// non-empty text, or a number.
package enum IdentitySearch {
  /// Searches the params of a body; appends the identity and returns true, or appends nothing and returns false.
  package static func append(of envelope: Envelope, in body: Span<UInt8>, to identity: inout [UInt8]) -> Bool {
    var best = Best(start: identity.count)
    let names = JSONReader(body)
    do {
      for param in envelope.params {
        try best.consider(param.key, of: names, value: body.extracting(param.value), in: &identity)
      }
    } catch { preconditionFailure("an envelope comes with the body it was read from: \(error)") }
    return best.source != nil
  }

  /// Searches the members of one record, which contains the params of a body without root and the fields of a template, and
  /// then its extras.
  package static func append(
    ofRecord record: Span<UInt8>, to identity: inout [UInt8]
  ) throws(JSONError) -> Bool {
    var reader = JSONReader(record)
    guard case .object = try reader.peek() else { return false }
    var best = Best(start: identity.count)
    var extras: Range<Int>?
    try reader.enterObject()
    while let key = try reader.nextKey() {
      let value = try reader.skipValue()
      try best.consider(key, of: reader, value: record.extracting(value), in: &identity)
      if reader.equals(key, RecordKey.extras) { extras = value }
    }
    if best.source == nil, let extras { return try append(ofRecord: record.extracting(extras), to: &identity) }
    return best.source != nil
  }

  /// The places of an identity, in order of precedence.
  private enum Source: Int {
    case deviceID, deviceIDCamelCase, deviceUUID
  }

  /// The best identity so far, at the end of the buffer.
  private struct Best {
    let start: Int
    var source: Source?

    mutating func consider(
      _ key: JSONText, of names: borrowing JSONReader, value: Span<UInt8>, in identity: inout [UInt8]
    ) throws(JSONError) {
      let candidate: Source
      if names.equals(key, IdentityKey.deviceID) {
        candidate = .deviceID
      } else if names.equals(key, IdentityKey.deviceIDCamelCase) {
        candidate = .deviceIDCamelCase
      } else if names.equals(key, IdentityKey.device) {
        candidate = .deviceUUID
      } else {
        return
      }
      if let source, source.rawValue < candidate.rawValue { return }
      var reader = JSONReader(value)
      if candidate == .deviceUUID {
        try considerMembers(of: &reader, in: &identity)
      } else {
        try take(&reader, as: candidate, in: &identity)
      }
    }

    private mutating func considerMembers(of reader: inout JSONReader, in identity: inout [UInt8]) throws(JSONError) {
      guard case .object = try reader.peek() else { return }
      try reader.enterObject()
      while let key = try reader.nextKey() {
        if reader.equals(key, IdentityKey.uuid) {
          try take(&reader, as: .deviceUUID, in: &identity)
        } else {
          _ = try reader.skipValue()
        }
      }
    }

    private mutating func take(
      _ reader: inout JSONReader, as candidate: Source, in identity: inout [UInt8]
    ) throws(JSONError) {
      switch try reader.peek() {
      case .string:
        let text = try reader.readText()
        if text.range.isEmpty { return }
        identity.removeSubrange(start...)
        reader.append(text, to: &identity)
      case .number:
        let number = try reader.readNumber()
        identity.removeSubrange(start...)
        reader.append(rawValue: number.range, to: &identity)
      case .object, .array, .true, .false, .null:
        _ = try reader.skipValue()
        return
      }
      source = candidate
    }
  }
}
