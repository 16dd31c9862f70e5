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
    var collector = ResponseCollector(to: .get)
    var type: String { collector.head.fields.value(.contentType).flatMap { collector.head.fields.text($0) } ?? "" }
    while !collector.isComplete, type != "text/event-stream" || collector.body.isEmpty {
      let piece = try client.receiveSome(atMost: 65_536)
      if piece.isEmpty { try collector.finish() }
      _ = try collector.take(piece.span)
    }
    status = collector.head.status
    mediaType = String(type.prefix { $0 != ";" })
    body = collector.body
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
    let isJSON = answer.mediaType.contains("json") && !answer.mediaType.contains("json5")
    return schema.problems(of: isJSON ? try answer.json() : .string(answer.text), in: content["schema"] ?? .null)
  }
}
