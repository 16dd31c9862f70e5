/// Why a packed file cannot be read.
package enum GzipError: Error, Equatable, Sendable {
  case truncated
  case damaged
  /// The checksum or the length behind the content is that of another one.
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
