extension GzipFile {
  /// Whether the file begins as a packed one does.
  package static func isPacked(_ file: [UInt8]) -> Bool { file.starts(with: [0x1F, 0x8B]) }

  /// The content of all members of the file (RFC 1952 §2.2), at most `limit` bytes.
  package static func unpack(_ file: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
    var content: [UInt8] = []
    var rest = file[...]
    repeat {
      let start = try headEnd(of: rest)
      let member = try Inflation(rest[start...], limit: limit - content.count)
      guard rest.endIndex - member.end >= 8 else { throw .truncated }
      guard number(rest, at: member.end) == checksum(of: member.content),
        number(rest, at: member.end + 4) == UInt32(truncatingIfNeeded: member.content.count)
      else { throw .checksum }
      content += member.content
      rest = rest[(member.end + 8)...]
    } while !rest.isEmpty
    return content
  }

  /// Passes over the head of a member with its optional fields (RFC 1952 §2.3.1).
  private static func headEnd(of file: ArraySlice<UInt8>) throws(GzipError) -> Int {
    let start = file.startIndex
    guard file.count >= 10 else { throw .truncated }
    guard file[start] == 0x1F, file[start + 1] == 0x8B, file[start + 2] == 8 else { throw .damaged }
    let flags = file[start + 3]
    var position = start + 10
    if flags & 4 != 0 {
      guard position + 2 <= file.endIndex else { throw .truncated }
      position += 2 + Int(file[position]) + Int(file[position + 1]) << 8
    }
    // A name, then a comment, each with a zero at its end.
    for flag in [8, 16] as [UInt8] where flags & flag != 0 {
      guard position < file.endIndex, let end = file[position...].firstIndex(of: 0) else { throw .truncated }
      position = end + 1
    }
    if flags & 2 != 0 { position += 2 }
    guard position <= file.endIndex else { throw .truncated }
    return position
  }

  private static func number(_ bytes: ArraySlice<UInt8>, at position: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32($1 * 8) }
  }
}
