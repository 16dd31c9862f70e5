import Base
import Contract
import JSON
import Network
import Store

/// A wait of this session.
struct Awaiting {
  let id: UInt64
  let condition: AwaitCondition
  let milliseconds: Int64
}

extension IngestSession {
  /// Waits without asking again and again: the hub hears of every commit.
  func wait(
    _ exchange: Exchange, for condition: AwaitCondition, _ milliseconds: Int64, _ output: inout SessionOutput
  ) {
    guard let id = context.hub.wait(for: condition, address) else {
      return answer(exchange, .tooManyWaiters, bodyComplete: true, &output)
    }
    guard condition.isFromNow || askForStored(condition, id) else {
      context.hub.giveUp(id)
      return answer(exchange, .overloaded, bodyComplete: true, &output)
    }
    state = .awaiting(exchange, Awaiting(id: id, condition: condition, milliseconds: milliseconds))
    wishes.wantsInput = false
    wishes.alarm = output.now + .milliseconds(milliseconds)
  }

  private func askForStored(_ condition: AwaitCondition, _ id: UInt64) -> Bool {
    let hub = context.hub
    let isAsked = context.submit(
      .read { reader in
        // Without an answer the wait ends in a time-out that says that the store could not be asked.
        do throws(StoreError) { hub.begin(id, stored: try reader.stored(condition)) } catch {}
      }, .nobody)
    guard isAsked, !condition.uuids.isEmpty else { return isAsked }
    return context.ask(
      { reader in
        // What cannot be read is not found, and the time-out names it.
        do throws(StoreError) { try reader.search(condition) { hub.found($0, for: id) } } catch {}
        return .searched
      }, address)
  }

  func awaited(_ id: UInt64, _ progress: AwaitProgress, _ output: inout SessionOutput) {
    guard case .awaiting(let exchange, let waiting) = state, waiting.id == id else { return }
    wishes.alarm = nil
    if let stored = progress.stored, waiting.condition.count.isExceeded(by: stored) {
      let message = "\(CountRange.records(stored)), expected \(waiting.condition.count.text)"
      return answer(
        exchange, .unfulfilled(409, "await_exceeded", message, progress, waiting), bodyComplete: true, &output)
    }
    answer(exchange, .json { $0.append(progress, waiting.condition) }, bodyComplete: true, &output)
  }

  /// The time is over.
  func giveUp(_ exchange: Exchange, _ waiting: Awaiting, _ output: inout SessionOutput) {
    // Met in this very moment: the message is on its way.
    guard let progress = context.hub.giveUp(waiting.id) else { return }
    let condition = waiting.condition
    let isAsked = context.ask(
      { [context] reader in
        let reasons = context.shortfall.reasons(run: condition.run, device: condition.device, reader)
        return .answered(.timedOut(progress, waiting, reasons))
      }, address)
    guard isAsked else {
      let reasons = context.shortfall.reasons(run: condition.run, device: condition.device, nil)
      return answer(exchange, .timedOut(progress, waiting, reasons), bodyComplete: true, &output)
    }
    state = .asking(exchange)
  }

  /// The server stops.
  func stopWaiting(_ exchange: Exchange, _ waiting: Awaiting, _ output: inout SessionOutput) {
    context.hub.giveUp(waiting.id)
    wishes.alarm = nil
    answer(exchange, .unavailable(.stopping), bodyComplete: true, &output)
  }
}

extension StoreReader {
  /// How many records of the run, or of the device, are stored.
  fileprivate func stored(_ condition: AwaitCondition) throws(StoreError) -> Int {
    if let name = condition.device {
      return Int(try device(DeviceIdentity(run: condition.run, name: name))?.points ?? 0)
    }
    var sum: Int64 = 0
    var next: Int64?
    repeat {
      let page = try devices(run: condition.run, after: next, limit: 1_000)
      sum += page.elements.reduce(0) { $0 + $1.points }
      next = page.next
    } while next != nil
    return Int(sum)
  }

  /// Shows `found` the awaited records that are stored, until there are no more or it has enough.
  fileprivate func search(
    _ condition: AwaitCondition, _ found: ([UUID128]) -> Bool
  ) throws(StoreError) {
    let device = condition.device.map { DeviceIdentity(run: condition.run, name: $0) }
    var cursor: ArrivalCursor?
    repeat {
      let page = try keys(run: condition.run, device: device, after: cursor)
      guard found(page.elements.map(\.key.uuid).filter { condition.uuids.contains($0) }) else { return }
      cursor = page.next
    } while cursor != nil
  }
}

extension Response {
  static let tooManyWaiters = Response.error(503, "too_many_waiters", "too many wait already; try again")
    .with(HeaderName.retryAfter, "1")

  /// What came near, so that a failing test says how far it was.
  fileprivate static func timedOut(
    _ progress: AwaitProgress, _ waiting: Awaiting, _ reasons: [ShortfallReason]
  ) -> Response {
    let seconds = Double(waiting.milliseconds) / 1_000
    let message =
      progress.stored.map { stored in
        let missing = progress.missing.isEmpty ? "" : ", \(progress.missing.count) of the uuids missing"
        return "\(CountRange.records(stored)), expected \(waiting.condition.count.text), after \(seconds) s\(missing)"
      } ?? "the store could not be asked within \(seconds) s"
    return unfulfilled(408, "await_timeout", message + reasons.words, progress, waiting, reasons)
  }

  fileprivate static func unfulfilled(
    _ status: Int, _ code: String, _ message: String, _ progress: AwaitProgress, _ waiting: Awaiting,
    _ reasons: [ShortfallReason] = []
  ) -> Response {
    var writer = JSONWriter(capacity: 256)
    writer.append(progress, waiting.condition, reasons)
    return .json(status) { answer in
      answer.beginObject()
      answer.key("error")
      answer.beginObject()
      answer.member("code", code)
      answer.member("message", message)
      answer.key("detail")
      answer.raw(writer.bytes)
      answer.endObject()
      answer.endObject()
    }
  }
}

extension JSONWriter {
  private static let uuidsListed = 100

  /// `stored` of the records expected, `count` or more and at most `atMost`, and the `missing` uuids, the first hundred of `missingCount`.
  fileprivate mutating func append(
    _ progress: AwaitProgress, _ condition: AwaitCondition, _ reasons: [ShortfallReason] = []
  ) {
    beginObject()
    if let stored = progress.stored { member("stored", stored) }
    member("count", condition.count.atLeast)
    if let most = condition.count.atMost { member("atMost", most) }
    member("missingCount", progress.missing.count)
    key("missing")
    beginArray()
    for uuid in progress.missing.prefix(JSONWriter.uuidsListed) {
      var text: [UInt8] = []
      uuid.append(lowerCaseTextTo: &text)
      value(String(decoding: text, as: UTF8.self))
    }
    endArray()
    if !reasons.isEmpty {
      key("reasons")
      JSONValue.array(reasons.map(\.json)).write(to: &self)
    }
    endObject()
  }
}

extension LiveHandlers {
  /// Uuids that one request may wait for.
  private static let uuidsMax = 100_000
  private static let standardMilliseconds: Int64 = 10_000

  /// `{"device":…,"run":…,"atLeast":n,"atMost":n,"exactly":n,"event":…,"uuids":[…],"since":"start"|"now","timeout":"10s"}`, all optional:
  /// without a number and `uuids` one record is waited for. `count` is another name of `atLeast`. 408 says that the time was
  /// over, 409 that there were more than there may be.
  func awaitRecords(_ exchange: Exchange) -> Reply {
    do {
      let body = exchange.body.isEmpty ? .object([:]) : try JSONValue(parsing: exchange.body.span)
      let keys = ["device", "run", "count", "event", "uuids", "since", "timeout"] + CountRange.keys
      let fields = try AdminFields(body, knows: keys)
      let milliseconds = try fields.milliseconds("timeout") ?? LiveHandlers.standardMilliseconds
      return .wait(try condition(fields, of: exchange), milliseconds: milliseconds)
    } catch {
      return .answer(.error(400, "bad_await", "\(error)"))
    }
  }

  private func condition(_ fields: AdminFields, of exchange: Exchange) throws(FieldError) -> AwaitCondition {
    let uuids = try uuids(fields)
    let count = try fields.integer("count", in: 0...Int64(Int32.max))
    if count != nil, CountRange.keys.contains(where: { fields.value($0) != nil }) {
      throw FieldError("count", .outOfRange(expected: "left out beside exactly, atLeast and atMost"))
    }
    let range = try CountRange(fields, absent: count.map { Int($0) } ?? (uuids.isEmpty ? 1 : 0))
    var condition = AwaitCondition(run: try fields.run(within: exchange), count: range)
    condition.device = try fields.text("device")
    condition.event = try fields.text("event")
    condition.uuids = uuids
    switch try fields.text("since") ?? "start" {
    case "start": condition.isFromNow = false
    case "now": condition.isFromNow = true
    default: throw FieldError("since", .outOfRange(expected: "start, for all that is stored, or now"))
    }
    if condition.event != nil && !condition.isFromNow {
      throw FieldError(
        "since", .outOfRange(expected: "now where an event is given: earlier ones are not counted by event"))
    }
    return condition
  }

  private func uuids(_ fields: AdminFields) throws(FieldError) -> Set<UUID128> {
    guard let value = fields.value("uuids") else { return [] }
    guard case .array(let elements) = value, elements.count <= LiveHandlers.uuidsMax else {
      throw FieldError("uuids", .outOfRange(expected: "an array of at most \(LiveHandlers.uuidsMax) uuids"))
    }
    var uuids: Set<UUID128> = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element, let uuid = UUID128(text: text.utf8.span) else {
        throw FieldError("uuids[\(index)]", .outOfRange(expected: "a uuid"))
      }
      uuids.insert(uuid)
    }
    return uuids
  }
}
