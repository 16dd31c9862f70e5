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

  private let client: BlockingHTTPClient
  private let question: Question
  private let headers: [Named<String>]
  private let seed: UInt64
  private let devices: [String]
  private var listings: [String: StoreListing] = [:]
  private(set) var refusal: String?
  private(set) var comparesContents = false
  let (isShared, readsContents) = (true, true)

  private static let pagesMax = 10_000
  /// For all devices together, and for each.
  private static let (span, spanEach) = (Nanoseconds.seconds(20), Nanoseconds.milliseconds(20))
  /// For each page with records that no earlier one had.
  private static let spanEachPage = Nanoseconds.milliseconds(500)

  /// The headers are those of a device's requests.
  init(_ client: BlockingHTTPClient, _ question: Question, headers: [Named<String>], seed: UInt64, devices: [String]) {
    self.client = client
    self.seed = seed
    self.question = question
    self.headers = headers
    self.devices = devices
  }

  func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
    guard let listing = listing(of: device) else { return nil }
    return keys.filter { !listing.isStored($0.uuid) }
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
    devices.first { device in listing(of: device)?.isStored(uuid) ?? false }
  }

  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    for device in device.map({ [$0] }) ?? devices {
      guard let listing = listing(of: device) else { return }
      for uuid in listing.stored { body(device, uuid) }
    }
  }

  private func listing(of device: String) -> StoreListing? {
    if let known = listings[device] { return known }
    // A server that failed to answer once is not asked for each device.
    guard refusal == nil else { return nil }
    client.limit(to: QueryProof.span + QueryProof.spanEach * Int64(devices.count))
    var listing = StoreListing()
    var known = 0
    func noteProgress() {
      if listing.count > known { client.extendLimit(by: QueryProof.spanEachPage) }
      known = listing.count
    }
    let isRead = readPages(from: question.url, of: device) { body in
      defer { noteProgress() }
      if let path = question.putAsidePath, question.putAsideURL == nil {
        listing.takePutAside(body, path: JSONStep.steps(of: path))
      }
      return listing.take(body, path: JSONStep.steps(of: question.path), named: question.path)
    }
    guard isRead else { return nil }
    if let url = question.putAsideURL {
      let path = JSONStep.steps(of: question.putAsidePath ?? question.path)
      let isRead = readPages(from: url, of: device) { body in
        guard JSONValue(bytes: body) != nil else { return "the answer is not JSON" }
        defer { noteProgress() }
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
        return refuse(page, "its pages form a loop")
      }
      let answer = client.ask(page, headers: fields)
      if let reason = answer.refusal { return refuse(page, reason) }
      let head = AnswerHead(parsing: client.head)
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

/// What a server lists of one device's records.
struct StoreListing {
  /// In the order of the list, repeated ones too.
  private(set) var stored: [UUID128] = []
  private(set) var putAside: Set<UUID128> = []
  private var storedOnce: Set<UUID128> = []
  /// Of the entries that say where and when.
  private(set) var contents: [UUID128: SentContent] = [:]

  /// Different records, wherever they are.
  var count: Int { storedOnce.count + putAside.count }

  func isStored(_ uuid: UUID128) -> Bool { storedOnce.contains(uuid) }

  private static let decoder = RecordDecoder()

  /// Takes in one page; `path` leads to the identities. Gives why it cannot be read, as half a sentence; nil when it can.
  mutating func take(_ body: [UInt8], path: [JSONStep], named pathText: String) -> String? {
    let page: JSONValue
    do throws(JSONError) {
      page = try JSONValue(parsing: body.span, duplicateKeys: .lastWins)
    } catch {
      return "the answer is not JSON (\(error.description)): it begins with \(StoreListing.start(of: body))"
    }
    // The identity stands in the entry behind the last `[*]`.
    let split = path.lastIndex(of: .everyElement).map { $0 + 1 } ?? 0
    var problem: String?
    var leads = false
    let isList = JSONStep.follow(path[..<split], from: page) { entry in
      let leadsOn = JSONStep.follow(path[split...], from: entry) { value in
        guard case .string(let text) = value, let uuid = UUID128(text: text.utf8.span) else {
          let shown = String(decoding: value.bytes.prefix(60), as: UTF8.self)
          return problem = problem ?? "\(pathText) leads to \(shown), which is not a UUID"
        }
        stored.append(uuid)
        storedOnce.insert(uuid)
        note(entry, as: uuid)
      }
      leads = leads || leadsOn
    }
    if let problem { return problem }
    let isEmptyList = isList && !leads && StoreListing.isEmpty(path[..<split], in: page)
    return leads || isEmptyList
      ? nil : "\(pathText) matches nothing in the answer, which begins with \(StoreListing.start(of: body))"
  }

  /// The identities of records that are not in the store and were put aside.
  mutating func takePutAside(_ body: [UInt8], path: [JSONStep]) {
    guard let page = JSONValue(bytes: body) else { return }
    JSONStep.follow(path[...], from: page) { value in
      if case .string(let text) = value, let uuid = UUID128(text: text.utf8.span) { putAside.insert(uuid) }
    }
  }

  private mutating func note(_ entry: JSONValue, as uuid: UUID128) {
    guard entry.isEntry else { return }
    do throws(RecordProblem) {
      if let content = SentContent(try StoreListing.decoder.decode(entry.bytes.span)) { contents[uuid] = content }
    } catch { return }
  }

  private static func isEmpty(_ path: ArraySlice<JSONStep>, in page: JSONValue) -> Bool {
    var entries = 0
    JSONStep.follow(path, from: page) { _ in entries += 1 }
    return entries == 0
  }

  static func start(of body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(80), as: UTF8.self).map { $0.isNewline ? " " : $0 }
    return body.isEmpty ? "nothing: it is empty" : "'\(String(text))'"
  }
}

extension JSONValue {
  init?(bytes: [UInt8]) {
    do throws(JSONError) { self = try JSONValue(parsing: bytes.span, duplicateKeys: .lastWins) } catch { return nil }
  }

  fileprivate var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  fileprivate var isEntry: Bool { if case .object = self { true } else { false } }
}

extension JSONStep {
  /// Calls `body` with what stands at the end of the path. Gives whether the path leads anywhere: to a value, or to a list
  /// that is empty.
  @discardableResult
  static func follow(_ path: ArraySlice<JSONStep>, from value: JSONValue, _ body: (JSONValue) -> Void) -> Bool {
    switch path.first {
    case nil:
      body(value)
      return true
    case .member(let name)?:
      guard let member = value[name] else { return false }
      return follow(path.dropFirst(), from: member, body)
    case .everyElement?:
      guard case .array(let elements) = value else { return false }
      var leads = elements.isEmpty
      for element in elements where follow(path.dropFirst(), from: element, body) { leads = true }
      return leads
    }
  }
}

extension UUID128 {
  init?(member name: String, of value: JSONValue) {
    guard case .string(let text)? = value[name] else { return nil }
    self.init(text: text.utf8.span)
  }
}
