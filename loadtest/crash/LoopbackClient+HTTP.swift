import HTTP1
import Support

/// Whole answers, and requests of an administrator.
extension LoopbackClient {
  /// The status and the content of the next answer.
  func receiveAnswer(to method: HTTPMethod) throws(Failure) -> (status: Int, body: [UInt8]) {
    var collector = ResponseCollector(to: method)
    while !collector.isComplete {
      let input = try receiveSome(atMost: 65_536)
      guard !input.isEmpty else { throw Failure(call: "recv: the server has gone", code: 0) }
      do throws(HTTPError) { _ = try collector.take(input.span) } catch {
        throw Failure(call: "parsing the answer: \(error)", code: 0)
      }
    }
    return (collector.head.status, collector.body)
  }

  /// The content of an answer with 200; anything else is an error.
  func request(_ method: HTTPMethod, _ target: String, body: String = "") throws(Failure) -> [UInt8] {
    try send(
      "\(method.name) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let (status, content) = try receiveAnswer(to: method)
    guard status == 200 else {
      throw Failure(call: "\(method.name) \(target): \(status) \(String(decoding: content, as: UTF8.self))", code: 0)
    }
    return content
  }
}
