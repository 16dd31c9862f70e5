import Base
import Contract
import JSON
import Network
import Store

/// Answers when the condition holds, or at the timeout. It does not poll: the hub is notified of every commit.
final class StoredRecordsWait: Responder {
  private let condition: AwaitCondition
  private let milliseconds: Int64
  private let id: UInt64
  private let exchange: Exchange

  private init(_ id: UInt64, _ exchange: Exchange, _ condition: AwaitCondition, milliseconds: Int64) {
    self.id = id
    self.exchange = exchange
    self.condition = condition
    self.milliseconds = milliseconds
  }

  static func begin(
    _ condition: AwaitCondition, _ milliseconds: Int64, _ exchange: Exchange, in session: IngestSession,
    _ output: inout SessionOutput
  ) {
    let hub = session.context.hub
    var condition = condition
    condition.since = exchange.receivedAt.millisecondsSince1970
    guard let id = hub.wait(for: condition, session.address) else {
      return session.answer(exchange, .tooManyWaiters, bodyComplete: true, &output)
    }
    guard condition.isFromNow || askForStored(condition, id, session) else {
      hub.giveUp(id)
      return session.answer(exchange, .overloaded, bodyComplete: true, &output)
    }
    session.respond(with: StoredRecordsWait(id, exchange, condition, milliseconds: milliseconds))
    session.wishes.alarm = output.now + .milliseconds(milliseconds)
  }

  private static func askForStored(_ condition: AwaitCondition, _ id: UInt64, _ session: IngestSession) -> Bool {
    let hub = session.context.hub
    let isAsked = session.context.backend.submit(
      .read { reader in
        // Without an answer the wait times out with a message that the store could not be queried.
        do throws(StoreError) {
          hub.begin(id, stored: try reader.arrived(run: condition.run, device: condition.device))
        } catch {}
      }, for: .discarded)
    guard isAsked, !condition.uuids.isEmpty else { return isAsked }
    return session.context.backend.ask(
      { reader in
        // Unreadable records count as not found, and the timeout answer lists them.
        do throws(StoreError) { try reader.search(condition) { hub.found($0, for: id) } } catch {}
        return .searchEnded
      }, for: session.address)
  }

  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput) {
    switch message {
    case .awaited(id, let progress):
      session.wishes.alarm = nil
      session.answer(exchange, .decided(progress, condition), bodyComplete: true, &output)
    // Records were deleted. If the store is too busy for a query now, it is queried at the timeout.
    case .eventsWaiting(id): if !condition.isFromNow { _ = Self.askForStored(condition, id, session) }
    default: break
    }
  }

  /// Called at the timeout.
  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) {
    // The condition was met at the same moment; the message is on its way.
    guard let (waiter, fed) = session.context.hub.giveUp(id) else { return }
    let (shortfall, isFed) = (session.context.shortfall, session.context.hub.isFed)
    let (condition, milliseconds) = (condition, milliseconds)
    var sought = Shortfall.Sought(run: condition.run, device: condition.device, since: exchange.receivedAt)
    sought.uuids = Set(waiter.progress.missing)
    let isAsked = session.context.backend.ask(
      { [sought] reader in
        var (waiter, sought) = (waiter, sought)
        // A wait looks at least once: with a short timeout, or on a busy machine, the first look may still be pending. Records that are
        // stored but not yet reported count as well.
        if isFed || waiter.progress.stored == nil { reader.look(for: &waiter, behind: fed) }
        let progress = waiter.progress
        if waiter.isMet || waiter.isOver { return .answered(.decided(progress, condition)) }
        sought.uuids = Set(progress.missing)
        let reasons = shortfall.reasons(sought, reader)
        return .answered(.timedOut(progress, condition, milliseconds, reasons))
      }, for: session.address)
    guard isAsked else {
      let reasons = shortfall.reasons(sought, nil)
      let response = Response.timedOut(waiter.progress, condition, milliseconds, reasons)
      return session.answer(exchange, response, bodyComplete: true, &output)
    }
    session.expectAnswer(to: exchange)
  }

  func drain(_ session: IngestSession, _ output: inout SessionOutput) {
    session.context.hub.giveUp(id)
    session.wishes.alarm = nil
    session.answer(exchange, .unavailable(.stopping), bodyComplete: true, &output)
  }

  func closed(_ session: IngestSession) { session.context.hub.giveUp(id) }
}

extension StoreReader {
  /// Takes the last look of a wait. A wait that starts now has counted everything that a feed has reported, and looks only at
  /// what is stored after that. Unreadable records count as not found.
  fileprivate func look(for waiter: inout Waiter, behind fed: ArrivalCursor?) {
    let condition = waiter.condition
    do throws(StoreError) {
      if condition.isFromNow {
        if let fed { try showArrivals(behind: fed, to: &waiter) }
      } else {
        waiter.begin(stored: try arrived(run: condition.run, device: condition.device), group: 0)
        guard !waiter.progress.missing.isEmpty else { return }
        try search(condition) {
          waiter.found($0)
          return !waiter.isMet
        }
      }
    } catch {}
  }

  private func showArrivals(behind fed: ArrivalCursor, to waiter: inout Waiter) throws(StoreError) {
    let condition = waiter.condition
    let device = condition.device.map { DeviceIdentity(run: condition.run, name: $0) }
    let selection = RecordSelection(KeySelection(run: condition.run, device: device), receivedFrom: condition.since)
    var next: ArrivalCursor? = fed
    while let cursor = next, !waiter.isOver {
      let page = try arrivals(selection, after: cursor, limit: 1_000)
      for record in page.elements { waiter.noteNew(1, [record.key.uuid], of: record.device) }
      next = page.next
    }
  }

  /// How many records of the run, or of the device, have arrived, including those that retention has deleted since: a client that
  /// expects a number of records asks about arrivals, and a count is never taken back.
  func arrived(run: String, device name: String?) throws(StoreError) -> Int {
    if let name { return Int(try device(DeviceIdentity(run: run, name: name))?.points ?? 0) }
    var sum: Int64 = 0
    var next: Int64?
    repeat {
      let page = try devices(run: run, after: next, limit: 1_000)
      sum += page.elements.reduce(0) { $0 + $1.points }
      next = page.next
    } while next != nil
    return Int(sum)
  }

  /// Passes awaited records that are stored to `found`, until there are no more or it returns false.
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
  static let tooManyWaiters = Response.error(503, "too_many_waiters", "too many requests are waiting; try again")
    .with(HeaderName.retryAfter, "1")

  /// Returns the answer when the condition holds, or cannot hold any more.
  fileprivate static func decided(_ progress: AwaitProgress, _ condition: AwaitCondition) -> Response {
    guard let stored = progress.stored, condition.count.isExceeded(by: stored) else {
      return .json { $0.append(progress, condition) }
    }
    let message = "\(CountRange.records(stored)), expected \(condition.count.text)"
    return unfulfilled(409, "await_exceeded", message, progress, condition)
  }

  /// Includes the progress, so that a failing test shows how much was missing.
  fileprivate static func timedOut(
    _ progress: AwaitProgress, _ condition: AwaitCondition, _ milliseconds: Int64, _ reasons: [ShortfallReason]
  ) -> Response {
    let seconds = Double(milliseconds) / 1_000
    let message =
      progress.stored.map { stored in
        let wanted = condition.uuids.count
        if wanted > 0, condition.count.isAny {
          return "\(progress.missing.count) of \(CountRange.records(wanted)) missing after \(seconds) s"
        }
        let missing = progress.missing.isEmpty ? "" : ", \(progress.missing.count) of the uuids missing"
        return "\(CountRange.records(stored)), expected \(condition.count.text), after \(seconds) s\(missing)"
      } ?? "the store could not be asked within \(seconds) s"
    return unfulfilled(408, "await_timeout", message + reasons.words, progress, condition, reasons)
  }

  fileprivate static func unfulfilled(
    _ status: Int, _ code: String, _ message: String, _ progress: AwaitProgress, _ condition: AwaitCondition,
    _ reasons: [ShortfallReason] = []
  ) -> Response {
    var writer = JSONWriter(capacity: 256)
    writer.append(progress, condition, reasons)
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

  /// Writes `stored` of the expected records, `count` or more and at most `atMost`, and the first hundred of the `missingCount`
  /// `missing` uuids.
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
  /// The maximum number of uuids in one request.
  private static let uuidsMax = 100_000
  private static let standardMilliseconds: Int64 = 10_000

  /// A plan with conditions, or
  /// `{"device":…,"run":…,"atLeast":n,"atMost":n,"exactly":n,"uuids":[…],"since":"start"|"now","timeout":"10s"}`, all optional:
  /// without a number and `uuids` it waits for one record. `count` is another name of `atLeast`. 408 means that the time was
  /// over, 409 that there were more records than allowed.
  func awaitRecords(_ exchange: Exchange) -> Reply {
    do {
      let body = exchange.body.isEmpty ? .object([:]) : try JSONValue(parsing: exchange.body.span)
      if WaitPlan.isMeant(by: body) {
        return try WaitPlan(body, of: exchange, isCheck: false).reply(hasJournal: hasJournal)
      }
      let keys = ["device", "run", "count", "event", "uuids", "since", "timeout"] + CountRange.keys + WaitPlan.ownKeys
      let fields = try AdminFields(body, knows: keys)
      let milliseconds = try fields.milliseconds("timeout") ?? LiveHandlers.standardMilliseconds
      let condition = try condition(fields, of: exchange)
      return .respond { StoredRecordsWait.begin(condition, milliseconds, $1, in: $0, &$2) }
    } catch {
      return .answer(.error(400, "bad_await", "\(error)"))
    }
  }

  private func condition(_ fields: AdminFields, of exchange: Exchange) throws(FieldError) -> AwaitCondition {
    let uuids = try uuids(fields)
    let range = try CountRange(fields, absent: uuids.isEmpty ? 1 : 0)
    var condition = AwaitCondition(run: try fields.run(within: exchange), count: range)
    condition.device = try fields.text("device")
    condition.uuids = uuids
    switch try fields.text("since") ?? "start" {
    case "start": condition.isFromNow = false
    case "now": condition.isFromNow = true
    default: throw FieldError("since", .outOfRange(expected: "start (all stored records) or now"))
    }
    return condition
  }

  private func uuids(_ fields: AdminFields) throws(FieldError) -> Set<UUID128> {
    guard let value = fields.value("uuids") else { return [] }
    guard case .array(let elements) = value, (1...LiveHandlers.uuidsMax).contains(elements.count) else {
      throw FieldError("uuids", .outOfRange(expected: "an array of 1 to \(LiveHandlers.uuidsMax) uuids"))
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
