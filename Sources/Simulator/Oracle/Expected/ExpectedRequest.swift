import Base
import Contract
import JSON
import Upload

/// The form of every upload of a device according to the scenario's configuration (HttpConfig `headers`, `params`, `method`,
/// `rootProperty`, `batchSync`; SDK §8.1, §8.2).
struct ExpectedRequest {
  private let method: String
  private let rootProperty: String
  private let isBatch: Bool
  private let headers: [NameValuePair]
  private let params: [JSONObject.Member]
  /// With a template, records may have any form.
  private let hasTemplate: Bool

  /// `fill` replaces `${…}` with the device's values.
  init(_ configuration: Configuration, fill: (String) -> String) {
    let (http, persistence) = (configuration.http, configuration.persistence)
    method = http.method.rawValue
    rootProperty = http.rootProperty.isEmpty ? "location" : http.rootProperty
    isBatch = http.batchSync
    hasTemplate = !persistence.locationTemplate.isEmpty || !persistence.geofenceTemplate.isEmpty
    headers = ExpectedRequest.members(http.headers).compactMap { member in
      switch member.value {
      case .string(let text): NameValuePair(member.key, fill(text))
      case .integer(let number): NameValuePair(member.key, String(number))
      default: nil
      }
    }
    params = ExpectedRequest.members(http.params).map { .init(key: $0.key, value: $0.value.filled(fill)) }
  }

  private static func members(_ value: JSONValue) -> [JSONObject.Member] {
    if case .object(let object) = value { object.members } else { [] }
  }

  /// Returns the mistakes in a request, as sentences. Headers that the SDK or the simulator writes itself may have other values.
  func faults(of request: OutgoingRequest, ownHeaders: Set<String>) -> [String] {
    var faults: [String] = []
    if request.method != method { faults.append("is a \(request.method) and not a \(method)") }
    if request.url.contains("${") { faults.append("goes to '\(request.url)'") }
    // A configured field replaces the SDK's own (HttpConfig headers), and of two that differ only in case one is sent.
    let isOwnType = !headers.contains { $0.hasName(HeaderName.contentType) }
    if isOwnType, request.header(HeaderName.contentType.description)?.hasPrefix("application/json") != true {
      faults.append("is not application/json")
    }
    for header in headers where !ownHeaders.contains(header.name.lowercased()) {
      guard let value = request.header(header.name) else {
        faults.append("lacks the header '\(header.name)'")
        continue
      }
      if !headers.contains(where: { $0.hasName(header.name) && $0.value == value }) {
        faults.append("has '\(value)' for the header '\(header.name)', not '\(header.value)'")
      }
    }
    if let header = request.headers.first(where: { $0.value.contains("${") }) {
      faults.append("has '\(header.value)' for the header '\(header.name)'")
    }
    return faults + bodyFaults(request.body)
  }

  private func bodyFaults(_ body: [UInt8]) -> [String] {
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(parsing: body.span, reading: .lenient) } catch {
      return ["has a body that is not JSON"]
    }
    guard rootProperty != "." else {
      switch json {
      case .array: return isBatch || hasTemplate ? [] : ["has a list of records, and batches are off"]
      default: return isBatch ? ["has no list of records, and batches are on"] : paramFaults(json, isBare: true)
      }
    }
    guard let records = json[rootProperty] else { return ["has no records under '\(rootProperty)'"] }
    var isList = false
    if case .array = records { isList = true }
    if isBatch && !isList { return ["has no list of records, and batches are on"] }
    if !isBatch && isList && !hasTemplate { return ["has a list of records, and batches are off"] }
    return paramFaults(json, isBare: false)
  }

  private func paramFaults(_ json: JSONValue, isBare: Bool) -> [String] {
    params.compactMap { param in
      if param.key == rootProperty || isBare && hasTemplate { return nil }
      guard let value = json[param.key] else { return "lacks the param '\(param.key)'" }
      // A record's own members take precedence over params.
      return value.says(param.value) || isBare ? nil : "has another value for the param '\(param.key)'"
    }
  }
}

extension OutgoingRequest {
  fileprivate func header(_ name: String) -> String? {
    headers.first { $0.hasName(name) }?.value
  }
}

extension JSONValue {
  /// Reports whether both are equal as JSON, where 1 and 1.0 are the same number.
  fileprivate func says(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
      Double(integer) == double
    case (.array(let mine), .array(let theirs)):
      mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.says($1) }
    case (.object(let mine), .object(let theirs)):
      mine.members.count == theirs.members.count
        && mine.members.allSatisfy { member in theirs[member.key].map { member.value.says($0) } ?? false }
    default: self == other
    }
  }

  fileprivate func filled(_ fill: (String) -> String) -> JSONValue {
    switch self {
    case .string(let text): return .string(fill(text))
    case .array(let elements): return .array(elements.map { $0.filled(fill) })
    case .object(let object):
      var filled = JSONObject()
      for member in object.members { filled[member.key] = member.value.filled(fill) }
      return .object(filled)
    case .null, .bool, .integer, .double: return self
    }
  }
}
