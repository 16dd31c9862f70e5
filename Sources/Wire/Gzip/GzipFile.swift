internal import CZlib

/// Files in the format of RFC 1952, packed and unpacked by zlib.
package enum GzipFile {
  /// One member without a name or a time: the same content gives the same bytes on one version of zlib.
  package static func pack(_ content: [UInt8]) -> [UInt8] {
    let bound = rr_gzip_bound(content.count)
    let file = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      count = unsafe rr_gzip(content, content.count, buffer.baseAddress, bound)
    }
    precondition(!file.isEmpty, "zlib has no memory")
    return file
  }

  /// Whether the file begins as a packed one does.
  package static func isPacked(_ file: [UInt8]) -> Bool { file.starts(with: [0x1F, 0x8B]) }

  /// The content of all members of the file (RFC 1952 §2.2), at most `limit` bytes: a small file can hold gigabytes.
  package static func unpack(_ file: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
    var content: [UInt8] = []
    var position = 0
    repeat {
      var inflation = Inflation()
      position += try inflation.unpackMember(of: file, from: position, into: &content, limit: limit)
    } while position < file.count
    return content
  }
}
