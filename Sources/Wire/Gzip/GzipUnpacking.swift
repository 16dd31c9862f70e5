/// A gzip file that comes in pieces, unpacked with the memory of one.
package struct GzipUnpacking: ~Copyable {
  private var inflation = Inflation()
  private var isInMember = true

  package init() {}

  /// What the piece holds, in pieces of bounded length.
  package mutating func take(_ piece: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) throws(GzipError) {
    var position = 0
    while position < piece.count {
      if !isInMember {
        inflation = Inflation()
        isInMember = true
      }
      let (taken, hasEnded) = try inflation.unpack(piece, from: position, body)
      position += taken
      isInMember = !hasEnded
    }
  }

  /// The file has ended, and so must its last member.
  package func finish() throws(GzipError) { if isInMember { throw .truncated } }
}
