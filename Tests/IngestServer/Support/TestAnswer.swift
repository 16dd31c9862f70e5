import HTTP1
import JSON
import Support

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
    var collector = ResponseCollector(to: method)
    let taken = try collector.take(bytes.span)
    guard collector.isComplete else { return nil }
    bytes.removeFirst(taken)
    let head = collector.head
    let fields = head.fields.list.map { (head.fields.text($0.name) ?? "", head.fields.text($0.value) ?? "") }
    return TestAnswer(status: head.status, fields: fields, body: collector.body, keepsAlive: head.keepAlive)
  }
}
