import HTTP1

extension BodyFraming {
  /// The body of a refused request is short enough to be read and dropped for the sake of the connection.
  var isWorthReading: Bool {
    switch self {
    case .none: true
    case .length(let count): count <= 65_536
    case .chunked, .untilClose: false
    }
  }
}
