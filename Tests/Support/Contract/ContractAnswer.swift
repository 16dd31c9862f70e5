import HTTP1
package import JSON

/// An answer as it came over the socket.
package struct ContractAnswer {
  package let status: Int
  /// Without parameters.
  package let mediaType: String
  package let body: [UInt8]

  /// Sends the bytes over a connection of its own and reads to the end of the answer; of a stream its beginning.
  package init(to request: [UInt8], port: UInt16) throws {
    let client = try LoopbackClient(port: port)
    try client.send(request)
    var parser = ResponseParser(to: .get)
    var head = ResponseHead()
    var content: [UInt8] = []
    var type = ""
    var isEnded = false
    while !isEnded, type != "text/event-stream" || content.isEmpty {
      let piece = try client.receiveSome(atMost: 65_536)
      if piece.isEmpty { try parser.finish() }
      var taken = 0
      var isMoving = true
      while isMoving, !isEnded {
        let rest = piece.span.extracting(taken..<piece.count)
        let step = try parser.next(rest, into: &head)
        taken += step.taken
        switch step.event {
        case .needMoreInput: isMoving = false
        case .head: type = head.fields.value(.contentType).flatMap { head.fields.text($0) } ?? ""
        case .body(let range): content.append(copying: rest.extracting(range))
        case .end: isEnded = true
        }
      }
    }
    status = head.status
    mediaType = String(type.prefix { $0 != ";" })
    body = content
  }

  package func json() throws -> JSONValue { try JSONValue(parsing: body.span) }

  package var text: String { String(decoding: body, as: UTF8.self) }
}

extension ContractDocument {
  /// What is wrong with the answer's content, by the schema that stands with its status and media type.
  package func problems(of answer: ContractAnswer, to operation: ContractOperation) throws -> [String] {
    guard let response = operation.responses.first(where: { $0.status == answer.status })?.response else {
      return ["the status \(answer.status) is not in the contract"]
    }
    guard let content = response["content"]?[answer.mediaType] else {
      return ["the media type \(answer.mediaType) is not in the contract for \(answer.status)"]
    }
    if let line = content["x-itemSchema"] {
      let lines = answer.text.split(separator: "\n")
      return try lines.flatMap { schema.problems(of: try JSONValue(parsing: Array($0.utf8).span), in: line) }
    }
    let isJSON = answer.mediaType.hasSuffix("json")
    return schema.problems(of: isJSON ? try answer.json() : .string(answer.text), in: content["schema"] ?? .null)
  }
}
