import HTTP1
import JSON

/// One answer, taken apart by the parser that clients use.
struct TestAnswer {
  let status: Int
  let fields: [(name: String, value: String)]
  let body: [UInt8]
  /// The server allows another request on the connection.
  let keepsAlive: Bool

  var text: String { String(decoding: body, as: UTF8.self) }

  func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }

  func json() throws -> JSONValue { try JSONValue(parsing: body.span) }

  /// The code of an error body.
  var errorCode: String? {
    get throws {
      guard case .string(let code)? = try json()["error"]?["code"] else { return nil }
      return code
    }
  }

  /// Takes the first answer off the front of `bytes`; nil while it is not complete. Interim answers are returned too.
  static func take(from bytes: inout [UInt8], to method: HTTPMethod) throws -> TestAnswer? {
    var parser = ResponseParser(to: method)
    var head = ResponseHead()
    var body: [UInt8] = []
    var taken = 0
    var status = 0
    var fields: [(name: String, value: String)] = []
    let received = bytes
    while true {
      let input = received.span.extracting(taken..<received.count)
      let step = try parser.next(input, into: &head)
      switch step.event {
      case .needMoreInput: return nil
      case .head:
        status = head.status
        fields = head.fields.list.map { (head.fields.text($0.name) ?? "", head.fields.text($0.value) ?? "") }
        if head.isInterim {
          bytes.removeFirst(taken + step.taken)
          return TestAnswer(status: status, fields: fields, body: [], keepsAlive: true)
        }
      case .body(let range): body.append(copying: input.extracting(range))
      case .end:
        bytes.removeFirst(taken + step.taken)
        return TestAnswer(status: status, fields: fields, body: body, keepsAlive: head.keepAlive)
      }
      taken += step.taken
    }
  }
}
