import AnswerCheck
import Base
import Contract
import JSON
import Scenario
import Store
import Upload

/// Asks any server that can list the uuids of a device's records (`target.verify`). Each device's list is read once, with
/// the pages that follow it.
final class QueryProof: StoreProof {
  /// What to ask, with `{device}` where a device's name belongs.
  struct Question {
    let url: String
    /// Leads to the uuids.
    let path: String
    /// Of records that were put aside: where they are listed, when not in the same answer, and what leads to them.
    var putAsideURL: String?
    var putAsidePath: String?
  }

  private let questioner: Questioner
  private let question: Question
  private let headers: [Named<String>]
  private let seed: UInt64
  private let devices: [String]
  private var listings: [String: StoreListing] = [:]
  private(set) var refusal: String?
  private(set) var comparesContents = false
  let isShared = true

  private static let pagesMax = 10_000
  /// For all devices together, and for each.
  private static let (span, spanEach) = (Nanoseconds.seconds(20), Nanoseconds.milliseconds(20))

  /// The headers are those of a device's requests.
  init(_ questioner: Questioner, _ question: Question, headers: [Named<String>], seed: UInt64, devices: [String]) {
    self.questioner = questioner
    self.seed = seed
    self.question = question
    self.headers = headers
    self.devices = devices
  }

  func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
    guard let listing = listing(of: device) else { return nil }
    let known = Set(listing.stored)
    return keys.filter { !known.contains($0.uuid) }
  }

  /// What is put aside is known by its identity.
  func quarantined(of device: String) -> Set<UInt64> { [] }

  func isPutAside(_ uuid: UUID128, of device: String) -> Bool {
    listing(of: device)?.putAside.contains(uuid) ?? false
  }

  func change(of record: SentContent, _ uuid: UUID128, of device: String) -> String? {
    guard let stored = listing(of: device)?.contents[uuid] else { return nil }
    comparesContents = true
    return record.difference(from: stored)
  }

  func holder(of uuid: UUID128) -> String? {
    devices.first { device in listing(of: device)?.stored.contains(uuid) ?? false }
  }

  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    for device in device.map({ [$0] }) ?? devices {
      guard let listing = listing(of: device) else { return }
      for uuid in listing.stored { body(device, uuid) }
    }
  }

  private func listing(of device: String) -> StoreListing? {
    if let known = listings[device] { return known }
    // Who could not answer once is not asked for everybody.
    guard refusal == nil else { return nil }
    questioner.limit(to: QueryProof.span + QueryProof.spanEach * Int64(devices.count))
    var listing = StoreListing()
    let isRead = readPages(from: question.url, of: device) { body in
      if let path = question.putAsidePath, question.putAsideURL == nil {
        listing.takePutAside(body, path: JSONStep.steps(of: path))
      }
      return listing.take(body, path: JSONStep.steps(of: question.path), named: question.path)
    }
    guard isRead else { return nil }
    if let url = question.putAsideURL {
      let path = JSONStep.steps(of: question.putAsidePath ?? question.path)
      let isRead = readPages(from: url, of: device) { body in
        guard JSONValue(bytes: body) != nil else { return "the answer is no JSON" }
        listing.takePutAside(body, path: path)
        return nil
      }
      guard isRead else { return nil }
    }
    listings[device] = listing
    return listing
  }

  /// Reads a list to its last page (RFC 8288 §3). False after a refusal was noted.
  private func readPages(from template: String, of device: String, take: ([UInt8]) -> String?) -> Bool {
    var next: String? = template.split(separator: "{device}", omittingEmptySubsequences: false)
      .joined(separator: device.percentEncoded)
    var seen: Set<String> = []
    let placeholders = DevicePlaceholders(named: device, seed: seed)
    let fields = headers.map { NameValuePair($0.name, placeholders.fill($0.value)) }
    while let page = next {
      guard seen.insert(page).inserted, seen.count <= QueryProof.pagesMax else {
        return refuse(page, "its pages lead in a circle")
      }
      let answer = questioner.ask(page, headers: fields)
      if let reason = answer.refusal { return refuse(page, reason) }
      let head = AnswerHead(parsing: questioner.head)
      if let problem = take(answer.body) { return refuse(page, problem) }
      next = PageLink.next(in: head, from: page)
      if let next, OutsideSetup.parts(of: next).origin != OutsideSetup.parts(of: page).origin {
        return refuse(page, "its next page, \(next), is on another server")
      }
    }
    return true
  }

  private func refuse(_ url: String, _ reason: String) -> Bool {
    refusal = "\(url): \(reason)"
    return false
  }
}
