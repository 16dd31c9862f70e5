import FoundationEssentials
package import JSON

/// A file of the folder openapi as the tests read it.
package struct ContractDocument: Sendable {
  /// The root of the checkout, from the place of this very file.
  package static let root: String = #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 }

  package let bytes: [UInt8]
  package let json: JSONValue

  /// `name`: of a file in the folder openapi.
  package init(_ name: String = "openapi.json") throws {
    let text = try String(contentsOfFile: "\(Self.root)/openapi/\(name)", encoding: .utf8)
    bytes = Array(text.utf8)
    json = try JSONValue(parsing: text.utf8.span)
  }

  package var schema: JSONSchema { JSONSchema(within: json) }

  /// The value itself, or what it refers to.
  package func resolved(_ value: JSONValue?) -> JSONValue? {
    guard let reference = value?["$ref"]?.string else { return value }
    return schema.resolve(reference)
  }

  /// In the order of the file.
  package var operations: [ContractOperation] {
    (json["paths"]?.members ?? []).flatMap { path in
      path.value.members.map { ContractOperation(path: path.key, method: $0.key.uppercased(), $0.value, in: self) }
    }
  }
}

extension ContractDocument {
  /// Examples that are not as their schemas have them. A wrong request is shown only where the answer says what is wrong with
  /// it.
  package var unfitExamples: [String] {
    operations.flatMap(\.cases).flatMap { example in
      let value = example.example["value"] ?? .null
      var problems = schema.problems(of: value, in: example.content["schema"] ?? .null)
      if example.isGood, let body = example.body {
        let form = example.operation.requestBody?["content"]?[body.mediaType]?["schema"] ?? .null
        problems += schema.problems(of: body.value, in: form)
      }
      return problems.map { "\(example): \($0)" }
    }
  }

  /// Operations without an example of success, and examples of requests that no answer has. `unanswered` are known.
  package func missingExamples(besides unanswered: Set<String> = []) -> [String] {
    operations.flatMap { operation in
      let answered = Set(operation.cases.map(\.name)).union(unanswered)
      let requests = operation.requestExamples.filter { !answered.contains($0) }
        .map { "\(operation.id): answer to \($0)" }
      return (operation.cases.contains { $0.isGood } ? [] : ["\(operation.id): success"]) + requests
    }
  }

  /// What is not as an example says in the answer to it.
  package func problems(of answer: ContractAnswer, to example: ContractCase) throws -> [String] {
    var problems = try problems(of: answer, to: example.operation)
    if answer.status != example.status { problems.append("status \(answer.status) instead of \(example.status)") }
    if answer.mediaType != example.mediaType { problems.append("\(answer.mediaType) instead of \(example.mediaType)") }
    if let code = example.example["value"]?["error"]?["code"], try answer.json()["error"]?["code"] != code {
      problems.append("another code than \(code.text)")
    }
    return problems.map { "\(example): \($0): \(answer.text)" }
  }
}

/// One operation of the file, its references resolved.
package struct ContractOperation: Sendable {
  package let id: String
  package let path: String
  package let method: String
  package let parameters: [JSONValue]
  package let requestBody: JSONValue?
  package let responses: [(status: Int, response: JSONValue)]

  init(path: String, method: String, _ json: JSONValue, in document: ContractDocument) {
    self.path = path
    self.method = method
    id = json["operationId"]?.string ?? ""
    parameters = (json["parameters"]?.elements ?? []).compactMap { document.resolved($0) }
    requestBody = document.resolved(json["requestBody"])
    responses = (json["responses"]?.members ?? []).compactMap { member in
      guard let status = Int(member.key), let response = document.resolved(member.value) else { return nil }
      return (status, response)
    }
  }

  package var isAdministrative: Bool { path.hasPrefix("/admin/") }

  /// Of each answer each example.
  package var cases: [ContractCase] {
    responses.flatMap { status, response in
      (response["content"]?.members ?? []).flatMap { content in
        (content.value["examples"]?.members ?? []).map { example in
          ContractCase(
            operation: self, name: example.key, status: status, mediaType: content.key, content: content.value,
            example: example.value)
        }
      }
    }
  }

  /// The names of the examples of what is sent.
  package var requestExamples: [String] {
    let ofBody = (requestBody?["content"]?.members ?? []).flatMap { $0.value["examples"]?.members ?? [] }
    return (ofBody + parameters.flatMap { $0["examples"]?.members ?? [] }).map(\.key)
  }
}

/// One example of an answer, with what has to be sent to get such a one: what has the same name.
package struct ContractCase: Sendable, CustomStringConvertible {
  package let operation: ContractOperation
  package let name: String
  package let status: Int
  package let mediaType: String
  /// The schema of the content.
  package let content: JSONValue
  package let example: JSONValue

  package var description: String { "\(operation.id) \(name)" }

  package var isGood: Bool { (200...299).contains(status) }

  /// The flags of the server, without the dashes.
  package var flags: [JSONObject.Member] { example["x-server"]?.members ?? [] }

  /// The body that is sent, and its media type.
  package var body: (mediaType: String, value: JSONValue)? {
    for content in operation.requestBody?["content"]?.members ?? [] {
      if let value = content.value["examples"]?[name]?["value"] { return (content.key, value) }
    }
    return nil
  }
}
