package import Base
import JSON
package import Scenario
import World

/// The complete input of a failure: a scenario with its seed, its members and its fault occurrences. As plain data it fails
/// in the same way even if the generator of the scenario changes.
package struct FailurePlan: Equatable, Sendable {
  package static let unknownHash = ""
  /// The version of the format.
  package static let version: Int64 = 1

  package var document: ScenarioDocument
  /// The route files, by their names in the scenario: they may have been changed or moved before a replay.
  package var files: [String: [UInt8]]
  /// `I3-acked-is-durable`.
  package var invariant: String
  /// The device; nil for a device outside the run.
  package var device: String?
  /// The time of the violation; nil: unknown.
  package var instant: MonotonicInstant?
  /// The hash of the run; `unknownHash` where the search stopped before it was computed.
  package var hash: String
  /// The version of the program that wrote it.
  package var product: String

  package init(
    document: ScenarioDocument, files: [String: [UInt8]] = [:], invariant: String, device: String?,
    instant: MonotonicInstant? = nil, hash: String, product: String
  ) {
    (self.document, self.files) = (document, files)
    self.invariant = invariant
    self.device = device
    self.instant = instant
    self.hash = hash
    self.product = product
  }

  package var text: String {
    var object: JSONObject = [
      "plan": .integer(FailurePlan.version), "product": .string(product), "invariant": .string(invariant),
    ]
    object["device"] = device.map { .string($0) }
    object["atSeconds"] = instant.map { .double($0.seconds) }
    object["hash"] = .string(hash)
    object["scenario"] = document.json
    if !files.isEmpty {
      var texts = JSONObject()
      for (name, bytes) in files.sorted(by: { $0.key < $1.key }) { texts[name] = .string(Base64.text(bytes)) }
      object["files"] = .object(texts)
    }
    return JSONValue.object(object).pretty
  }

  /// Why a text is not a plan, as a sentence that follows the file's name.
  package struct ReadingError: Error, Equatable, Sendable {
    package let message: String
  }

  package init(reading bytes: [UInt8]) throws(ReadingError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: bytes.span) } catch {
      throw ReadingError(message: "invalid JSON: \(error)")
    }
    guard case .integer(let version)? = value["plan"] else {
      throw ReadingError(
        message: "not a failure plan: the key 'plan' is missing; a scenario is run by 'rollingroad simulate'")
    }
    guard version == FailurePlan.version else {
      throw ReadingError(message: "a plan of version \(version); this version reads version \(FailurePlan.version)")
    }
    func text(_ key: String) throws(ReadingError) -> String {
      guard case .string(let text)? = value[key] else { throw ReadingError(message: "the text '\(key)' is missing") }
      return text
    }
    guard let scenario = value["scenario"] else { throw ReadingError(message: "the key 'scenario' is missing") }
    self.init(
      document: ScenarioDocument(json: scenario), files: try FailurePlan.files(value["files"]),
      invariant: try text("invariant"),
      device: value["device"] == nil ? nil : try text("device"),
      instant: value["atSeconds"].flatMap(FailurePlan.instant), hash: try text("hash"), product: try text("product"))
  }
}

extension FailurePlan {
  private static func instant(_ value: JSONValue) -> MonotonicInstant? {
    let seconds: Double
    switch value {
    case .integer(let whole): seconds = Double(whole)
    case .double(let real): seconds = real
    case .null, .bool, .string, .array, .object: return nil
    }
    return (0..<9e9).contains(seconds) ? MonotonicInstant(nanoseconds: Int64((seconds * 1e9).rounded())) : nil
  }

  private static func files(_ value: JSONValue?) throws(ReadingError) -> [String: [UInt8]] {
    guard let value else { return [:] }
    guard case .object(let texts) = value else { throw ReadingError(message: "'files' is not an object") }
    var files: [String: [UInt8]] = [:]
    for file in texts.members {
      guard case .string(let text) = file.value, let bytes = Base64.bytes(text) else {
        throw ReadingError(message: "files: '\(file.key)' is not in base64")
      }
      files[file.key] = bytes
    }
    return files
  }

  /// Returns the setup of the plan. Throws its mistakes.
  package func setup() throws -> RunSetup {
    try RunSetup(ScenarioReader.read(document).scenario, files: RouteFiles(files))
  }
}
