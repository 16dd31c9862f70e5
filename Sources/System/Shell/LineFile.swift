internal import Glibc

/// Reads a file from its beginning, in pieces, while others may be writing it.
package enum LineFile {
  private static let pieceBytes = 1 << 18

  /// `take` gets a piece and returns whether it wants more. Returns false when the file cannot be read as far as wanted.
  package static func read(_ path: String, _ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let length = unsafe Glibc.read(descriptor, &piece, piece.count)
      if length < 0 && errno == EINTR { continue }
      guard length > 0 else { return length == 0 }
      guard take(piece[..<length]) else { return true }
    }
  }
}
