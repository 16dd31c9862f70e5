/// Decompresses a gzip file that arrives in pieces, with memory for one piece.
package struct GzipUnpacking: ~Copyable {
  private var inflation = Inflation()
  private var isInMember = true

  package init() {}

  /// Decompresses a piece and passes the content to `body`, in slices of bounded length.
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

  /// Ends the file; throws if its last member has not ended.
  package func finish() throws(GzipError) { if isInMember { throw .truncated } }
}
