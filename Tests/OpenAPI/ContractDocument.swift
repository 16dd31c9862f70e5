import FoundationEssentials
import JSON
import Support

/// openapi/openapi.json as the tests read it.
struct ContractDocument: Sendable {
  /// The root of the checkout, from the place of this very file.
  static let root: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  let bytes: [UInt8]
  let json: JSONValue

  init() throws {
    let text = try String(contentsOfFile: "\(Self.root)/openapi/openapi.json", encoding: .utf8)
    bytes = Array(text.utf8)
    json = try JSONValue(parsing: text.utf8.span)
  }

  var schema: JSONSchema { JSONSchema(within: json) }

  /// The value itself, or what it refers to.
  func resolved(_ value: JSONValue?) -> JSONValue? {
    guard let reference = value?["$ref"]?.string else { return value }
    return schema.resolve(reference)
  }

  /// In the order of the file.
  var operations: [ContractOperation] {
    (json["paths"]?.members ?? []).flatMap { path in
      path.value.members.map { ContractOperation(path: path.key, method: $0.key.uppercased(), $0.value, in: self) }
    }
  }
}

/// One operation of the file, its references resolved.
struct ContractOperation: Sendable {
  let id: String
  let path: String
  let method: String
  let parameters: [JSONValue]
  let requestBody: JSONValue?
  let responses: [(status: Int, response: JSONValue)]

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

  var isAdministrative: Bool { path.hasPrefix("/admin/") }

  /// Of each answer each example.
  var cases: [ContractCase] {
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
  var requestExamples: [String] {
    let ofBody = (requestBody?["content"]?.members ?? []).flatMap { $0.value["examples"]?.members ?? [] }
    return (ofBody + parameters.flatMap { $0["examples"]?.members ?? [] }).map(\.key)
  }
}

/// One example of an answer, with what has to be sent to get such a one: what has the same name.
struct ContractCase: Sendable, CustomStringConvertible {
  let operation: ContractOperation
  let name: String
  let status: Int
  let mediaType: String
  /// The schema of the content.
  let content: JSONValue
  let example: JSONValue

  var description: String { "\(operation.id) \(name)" }

  var isGood: Bool { (200...299).contains(status) }

  /// The flags of the server, without the dashes.
  var flags: [JSONObject.Member] { example["x-server"]?.members ?? [] }

  /// The body that is sent, and its media type.
  var body: (mediaType: String, value: JSONValue)? {
    for content in operation.requestBody?["content"]?.members ?? [] {
      if let value = content.value["examples"]?[name]?["value"] { return (content.key, value) }
    }
    return nil
  }
}
