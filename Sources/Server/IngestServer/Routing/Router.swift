import HTTP1

/// Finds the route of a request. Nothing is registered at run time.
struct Router: Sendable {
  enum Match {
    /// `number` is the index of the route in the table.
    case route(Route, number: Int, parameters: [ByteRange])
    /// The path exists, but not for this method; the allowed methods follow (RFC 9110 §15.5.6).
    case methodNotAllowed([HTTPMethod])
    case notFound
  }

  /// A path with its rows, one per method or more.
  private struct Path: Sendable {
    let pieces: [Route.Piece]
    var rows: [(route: Route, number: Int)] = []
  }

  private static let paths: [Path] = {
    var paths: [Path] = []
    for (number, route) in Route.table.enumerated() {
      for pieces in route.paths {
        let index = paths.firstIndex { $0.pieces == pieces } ?? paths.count
        if index == paths.count { paths.append(Path(pieces: pieces)) }
        paths[index].rows.append((route, number))
      }
    }
    return paths
  }()

  /// The number of `Route.page`, under which requests for unserved paths are counted.
  static let pageNumber: Int = {
    guard let number = Route.table.firstIndex(where: { $0 === Route.page }) else {
      preconditionFailure("the page is in the table")
    }
    return number
  }()

  /// `/r/{run}/…` separates the traffic of one test job from that of another; the header does the same for clients whose URL is
  /// fixed.
  private static let runPrefix: StaticString = "r"

  /// Returns the run that the path names, and the number of segments that this takes.
  func run(of head: borrowing RequestHead) -> (name: ByteRange, segments: Int)? {
    guard head.segments.count >= 3, head.segment(0, is: Router.runPrefix), !head.segments[1].isEmpty else { return nil }
    return (head.segments[1], 2)
  }

  func match(_ head: borrowing RequestHead) -> Match {
    let skipped = run(of: head)?.segments ?? 0
    for path in Router.paths {
      guard let parameters = parameters(of: path.pieces, in: head, skipping: skipped) else { continue }
      // HEAD is answered like GET, without the content (RFC 9110 §9.3.2).
      let method = head.method == .head ? HTTPMethod.get : head.method
      for row in path.rows where row.route.methods.contains(method) {
        return .route(row.route, number: row.number, parameters: parameters)
      }
      let allowed = path.rows.flatMap(\.route.methods).sorted { $0.rawValue < $1.rawValue }
      return .methodNotAllowed(allowed.contains(.get) ? allowed + [.head] : allowed)
    }
    return .notFound
  }

  /// Returns nil when the path does not match. One trailing slash is accepted: people type it, and a device whose configured
  /// URL has one would lose its uploads.
  private func parameters(
    of pieces: [Route.Piece], in head: borrowing RequestHead, skipping skipped: Int
  ) -> [ByteRange]? {
    var segments = head.segments[skipped...]
    if segments.count > pieces.count, let last = segments.last, last.isEmpty { segments = segments.dropLast() }
    var parameters: [ByteRange] = []
    var index = segments.startIndex
    for piece in pieces {
      guard index < segments.endIndex else { return nil }
      switch piece {
      case .rest: return parameters + [segments[index]]
      case .parameter:
        guard !segments[index].isEmpty else { return nil }
        parameters.append(segments[index])
      case .text(let text):
        guard isEqual(head[segments[index]], text) else { return nil }
      }
      index += 1
    }
    return index == segments.endIndex ? parameters : nil
  }

  private func isEqual(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    let expected = text.utf8.span
    guard bytes.count == expected.count else { return false }
    for index in bytes.indices where bytes[index] != expected[index] { return false }
    return true
  }
}
