package import HTTP1

/// One response, taken from bytes that arrive in pieces of any size. An interim response is one of its own.
package struct ResponseCollector {
  private var parser: ResponseParser
  package private(set) var head = ResponseHead()
  package private(set) var body: [UInt8] = []
  /// The head is there.
  package private(set) var hasBegun = false
  package private(set) var isComplete = false

  /// `method` is that of the request.
  package init(to method: HTTPMethod) { parser = ResponseParser(to: method) }

  /// Takes what belongs to the response, and returns how many bytes that were.
  package mutating func take(_ input: Span<UInt8>) throws(HTTPError) -> Int {
    var taken = 0
    while !isComplete {
      let rest = input.extracting(taken..<input.count)
      let step = try parser.next(rest, into: &head)
      taken += step.taken
      switch step.event {
      case .needMoreInput: return taken
      case .head: hasBegun = true
      case .body(let range): body.append(copying: rest.extracting(range))
      case .end: isComplete = true
      }
    }
    return taken
  }

  /// The connection has ended; an error when the response does not end with it.
  package mutating func finish() throws(HTTPError) {
    try parser.finish()
    isComplete = true
  }
}
