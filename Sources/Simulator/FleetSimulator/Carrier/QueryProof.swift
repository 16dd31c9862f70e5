import Base
import Contract
import JSON
import Scenario
import Store
import Upload

/// Asks any server that can list the uuids of a device's records (`target.verify`).
final class QueryProof: StoreProof {
  private let questioner: Questioner
  private let url: String
  private let path: [JSONStep]
  private let headers: [Named<String>]
  private let seed: UInt64
  private let devices: [String]
  private(set) var refusal: String?
  let isShared = true

  /// `url` holds `{device}` where a device's name belongs; `path` leads to the uuids, as in `$[*].uuid`. The headers are those of
  /// a device's requests.
  init(
    _ questioner: Questioner, url: String, path: String, headers: [Named<String>], seed: UInt64, devices: [String]
  ) {
    self.questioner = questioner
    self.seed = seed
    self.url = url
    self.path = JSONStep.steps(of: path)
    self.headers = headers
    self.devices = devices
  }

  func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
    guard let stored = uuids(of: device) else { return nil }
    let known = Set(stored)
    return keys.filter { !known.contains($0.uuid) }
  }

  /// No foreign server is asked for what it has put aside.
  func quarantined(of device: String) -> Set<UInt64> { [] }

  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    for device in device.map({ [$0] }) ?? devices {
      guard let stored = uuids(of: device) else { return }
      for uuid in stored { body(device, uuid) }
    }
  }

  private func uuids(of device: String) -> [UUID128]? {
    let question = url.split(separator: "{device}", omittingEmptySubsequences: false)
      .joined(separator: device.percentEncoded)
    let placeholders = DevicePlaceholders(named: device, seed: seed)
    let answer = questioner.ask(
      question, headers: headers.map { NameValuePair($0.name, placeholders.fill($0.value)) })
    if let reason = answer.refusal {
      refusal = "\(question): \(reason)"
      return nil
    }
    do throws(JSONError) {
      let bytes = answer.body
      var found: [UUID128] = []
      JSONStep.follow(path[...], from: try JSONValue(parsing: bytes.span, duplicateKeys: .lastWins)) { value in
        if case .string(let text) = value, let uuid = UUID128(text: text.utf8.span) { found.append(uuid) }
      }
      return found
    } catch {
      refusal = "\(question): \(error.description)"
      return nil
    }
  }
}
