package import JSON

/// What is known from earlier answers, by the `links` of the contract: parameters and members of bodies of other
/// operations.
package struct FollowedLinks {
  private var found: [String: [JSONObject.Member]] = [:]

  package init() {}

  /// Takes what an answer of this operation says.
  package mutating func follow(_ operation: ContractOperation, _ answer: ContractAnswer) throws {
    let links = operation.responses.first { $0.status == answer.status }?.response["links"]?.members ?? []
    for link in links {
      guard let target = link.value["operationId"]?.string else { continue }
      let expressions = (link.value["parameters"]?.members ?? []) + (link.value["requestBody"]?.members ?? [])
      for expression in expressions {
        guard let value = try Self.value(of: expression.value.string ?? "", in: answer) else { continue }
        found[target, default: []].append(JSONObject.Member(key: expression.key, value: value))
      }
    }
  }

  package func value(_ name: String, for operation: String) -> JSONValue? {
    found[operation]?.first { $0.key == name }?.value
  }

  /// A runtime expression (OpenAPI 3.1 §4.8.20.4) that points into the body.
  private static func value(of expression: String, in answer: ContractAnswer) throws -> JSONValue? {
    let prefix = "$response.body#/"
    guard expression.hasPrefix(prefix) else { return nil }
    let keys = expression.dropFirst(prefix.count).split(separator: "/")
    return keys.reduce(try answer.json() as JSONValue?) { value, key in
      guard let index = Int(key) else { return value?[String(key)] }
      let elements = value?.elements ?? []
      return elements.indices.contains(index) ? elements[index] : nil
    }
  }
}

extension ContractCase {
  /// The bytes of the request, within a run where one is named. Links matter only where the answer is to be a good one.
  package func request(_ links: FollowedLinks = FollowedLinks(), run: String? = nil) -> [UInt8] {
    var path = (run.map { "/r/\($0)" } ?? "") + operation.path
    var query: [String] = []
    var fields: [String] = []
    for parameter in operation.parameters {
      guard let name = parameter["name"]?.string, let value = value(of: parameter, name, links) else { continue }
      let text = value.string ?? value.text
      switch parameter["in"]?.string {
      case "path": path = path.replacing("{\(name)}", with: Self.escaped(text))
      case "query": query.append("\(Self.escaped(name))=\(Self.escaped(text))")
      default: fields.append("\(name): \(text)")
      }
    }
    var content: [UInt8] = []
    if let body {
      let boundary = "example"
      content = Self.bytes(of: linked(body.value, links), as: body.mediaType, boundary: boundary)
      let parameter = body.mediaType.hasPrefix("multipart/") ? "; boundary=\(boundary)" : ""
      fields.append("Content-Type: \(body.mediaType)\(parameter)")
    }
    if body != nil || operation.method != "GET" { fields.append("Content-Length: \(content.count)") }
    let target = query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    let lines = ["\(operation.method) \(target) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + fields
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content
  }

  /// That of the link, of the example with the case's name, or the only one. What is optional and not said is not sent.
  private func value(of parameter: JSONValue, _ name: String, _ links: FollowedLinks) -> JSONValue? {
    if isGood, let linked = links.value(name, for: operation.id) { return linked }
    if let named = parameter["examples"]?[self.name]?["value"] { return named }
    guard parameter["required"] == .bool(true) else { return nil }
    return parameter["example"] ?? parameter["examples"]?.members.first?.value["value"]
  }

  private func linked(_ body: JSONValue, _ links: FollowedLinks) -> JSONValue {
    guard isGood, case .object(var object) = body else { return body }
    for member in object.members {
      if let value = links.value(member.key, for: operation.id) { object[member.key] = value }
    }
    return .object(object)
  }

  private static func bytes(of value: JSONValue, as mediaType: String, boundary: String) -> [UInt8] {
    if mediaType == "application/x-www-form-urlencoded", case .object(let object) = value {
      return Array(
        object.members.map { "\($0.key)=\(escaped($0.value.string ?? $0.value.text))" }.joined(separator: "&").utf8)
    }
    guard mediaType.hasPrefix("multipart/") else {
      return Array((mediaType == "application/json" ? value.text : value.string ?? value.text).utf8)
    }
    let parts = value.members.map { member in
      let file = member.key == "file" ? "; filename=\"device.log\"" : ""
      return "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(member.key)\"\(file)\r\n\r\n"
        + "\(member.value.string ?? member.value.text)\r\n"
    }
    return Array((parts.joined() + "--\(boundary)--\r\n").utf8)
  }

  private static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { escaped, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default: escaped += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}
