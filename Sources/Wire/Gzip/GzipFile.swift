/// A file in the format of RFC 1952 around blocks that are stored as they are (RFC 1951 §3.2.4): any gunzip reads it. A log
/// goes out once in a while and over a loopback most of the time, so that size does not matter here.
package enum GzipFile {
  private static let blockMax = 65_535
  /// Method 8, no name, no time, made on Unix.
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

  package static func storing(_ content: [UInt8]) -> [UInt8] {
    var file = header
    file.reserveCapacity(content.count + content.count / blockMax * 5 + 32)
    var start = 0
    repeat {
      let end = min(start + blockMax, content.count)
      file.append(end == content.count ? 1 : 0)
      append(UInt32(end - start) | (~UInt32(end - start) << 16), to: &file)
      file += content[start..<end]
      start = end
    } while start < content.count
    append(checksum(of: content), to: &file)
    append(UInt32(truncatingIfNeeded: content.count), to: &file)
    return file
  }

  private static func append(_ number: UInt32, to file: inout [UInt8]) {
    for shift in stride(from: 0, to: 32, by: 8) { file.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
  }

  /// CRC-32 as in RFC 1952 §8.
  static func checksum(of content: [UInt8]) -> UInt32 {
    var register = UInt32.max
    for byte in content { register = table[Int((register ^ UInt32(byte)) & 0xFF)] ^ (register >> 8) }
    return ~register
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    return value
  }
}
