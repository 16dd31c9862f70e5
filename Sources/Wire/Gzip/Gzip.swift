internal import CZlib

/// The decompression of one member of a gzip file by zlib.
@safe struct Inflation: ~Copyable {
  /// zlib keeps a pointer to its state, which therefore must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var chunk = [UInt8](repeating: 0, count: Inflation.chunkBytes)

  private static let chunkBytes = 64 << 10

  init() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe rr_inflate_init(stream)
    precondition(result == Z_OK, "zlib has no memory")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends the content of the member, up to `limit` bytes in total. Returns the length of the member in the file.
  mutating func unpackMember(
    of file: [UInt8], from start: Int, into content: inout [UInt8], limit: Int
  ) throws(GzipError) -> Int {
    var taken = 0
    while true {
      // One byte above the limit distinguishes content that ends at the limit from longer content.
      let room = min(chunk.count, limit - content.count + 1)
      let step = step(file, from: start + taken, room: room)
      taken += step.taken
      guard step.made <= limit - content.count else { throw .tooLarge(limit: limit) }
      content += chunk[..<step.made]
      switch step.result {
      case Z_STREAM_END: return taken
      case Z_OK: break
      case Z_BUF_ERROR: throw .truncated
      case Z_MEM_ERROR: preconditionFailure("zlib has no memory")
      default: throw isAtTrailer ? .checksum : .damaged
      }
    }
  }

  /// Decompresses a piece of a member. Returns how many of its bytes belong to the member, and whether the member has ended.
  mutating func unpack(
    _ piece: [UInt8], from start: Int, _ body: (ArraySlice<UInt8>) -> Void
  ) throws(GzipError) -> (taken: Int, hasEnded: Bool) {
    var taken = 0
    while true {
      let step = step(piece, from: start + taken, room: chunk.count)
      taken += step.taken
      if step.made > 0 { body(chunk[..<step.made]) }
      switch step.result {
      case Z_STREAM_END: return (taken, true)
      // After a full chunk there may be more output.
      case Z_OK: if start + taken == piece.count, step.made < chunk.count { return (taken, false) }
      case Z_BUF_ERROR: return (taken, false)
      case Z_MEM_ERROR: preconditionFailure("zlib has no memory")
      default: throw isAtTrailer ? .checksum : .damaged
      }
    }
  }

  private mutating func step(_ file: [UInt8], from position: Int, room: Int) -> (taken: Int, made: Int, result: Int32) {
    let stream = unsafe stream
    let input = min(file.count - position, Int(UInt32.max))
    return unsafe file.withUnsafeBufferPointer { bytes in
      unsafe chunk.withUnsafeMutableBufferPointer { chunk in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress.map { unsafe $0 + position })
        unsafe stream.pointee.avail_in = UInt32(input)
        unsafe stream.pointee.next_out = chunk.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room)
        let result = unsafe inflate(stream, Z_NO_FLUSH)
        return unsafe (input - Int(stream.pointee.avail_in), room - Int(stream.pointee.avail_out), result)
      }
    }
  }

  /// Whether the error is in the trailer: zlib has no code of its own for a wrong checksum.
  private var isAtTrailer: Bool {
    guard let message = unsafe stream.pointee.msg else { return false }
    return ["incorrect data check", "incorrect length check"].contains(unsafe String(cString: message))
  }
}

/// Files in the format of RFC 1952, compressed and decompressed by zlib.
package enum GzipFile {
  /// Compresses to one member without a name or a time: the same content gives the same bytes with one version of zlib.
  package static func pack(_ content: [UInt8]) -> [UInt8] {
    let bound = rr_gzip_bound(content.count)
    let file = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      count = unsafe rr_gzip(content, content.count, buffer.baseAddress, bound)
    }
    precondition(!file.isEmpty, "zlib has no memory")
    return file
  }

  /// Returns whether the file has the magic number of gzip.
  package static func isPacked(_ file: [UInt8]) -> Bool { file.starts(with: [0x1F, 0x8B]) }

  /// Returns the content of all members of the file (RFC 1952 §2.2), at most `limit` bytes: a small file can contain gigabytes.
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

/// Content in the zlib format of RFC 1950.
package enum ZlibStream {
  package static func pack(_ content: [UInt8]) -> [UInt8] {
    let bound = Int(compressBound(UInt(content.count)))
    let stream = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      var length = UInt(bound)
      let result = unsafe compress(buffer.baseAddress, &length, content, UInt(content.count))
      count = result == Z_OK ? Int(length) : 0
    }
    precondition(!stream.isEmpty, "zlib has no memory")
    return stream
  }
}

/// Why a gzip file cannot be read.
package enum GzipError: Error, Equatable, Sendable {
  case truncated
  case damaged
  /// The checksum or the length after the content does not match it.
  case checksum
  case tooLarge(limit: Int)
}

extension GzipError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated: "the packed file ends too early; fetch it again"
    case .damaged: "the packed file is damaged; fetch it again"
    case .checksum: "the packed file does not hold what its checksum says; fetch it again"
    case .tooLarge(let limit): "the packed file holds more than \(limit) bytes; unpack and cut it first"
    }
  }
}
