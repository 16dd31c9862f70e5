internal import CZlib

/// One member of a gzip file on its way through zlib.
@safe struct Inflation: ~Copyable {
  /// zlib remembers where its state lies, so that it must not move.
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

  /// Adds what the member holds to the content, which may grow to `limit` bytes. Gives the length of the member.
  mutating func unpackMember(
    of file: [UInt8], from start: Int, into content: inout [UInt8], limit: Int
  ) throws(GzipError) -> Int {
    var taken = 0
    while true {
      // One byte above the limit tells a content that ends there from one that goes on.
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

  /// zlib has no code of its own for a content that is not the one that was packed.
  private var isAtTrailer: Bool {
    guard let message = unsafe stream.pointee.msg else { return false }
    return ["incorrect data check", "incorrect length check"].contains(unsafe String(cString: message))
  }
}
