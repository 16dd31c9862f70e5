import Base
import Contract
import JSON
import Store

/// Handles the commands and tags of devices.
struct CommandHandlers: Sendable {
  let policy: ServerConfiguration.Policy
  let latestExpiry: LatestCommandExpiry

  /// `POST /admin/v1/devices/{device}/commands`. The device need not exist yet.
  func queueForDevice(_ exchange: Exchange) -> Reply {
    queue(exchange, isBroadcast: false) { _ in .device(exchange.namedDevice) }
  }

  /// `POST /admin/v1/commands`: for the devices with a tag, or for all of the run.
  func queueForMany(_ exchange: Exchange) -> Reply {
    let run = exchange.run
    return queue(exchange, isBroadcast: true) { request in
      request.tag.map { .tag($0, run: run) } ?? .everyone(run: run)
    }
  }

  private func queue(
    _ exchange: Exchange, isBroadcast: Bool, target: (CommandQueueRequest) -> QueuedCommand.Target
  ) -> Reply {
    let request: CommandQueueRequest
    let list: CommandRequest
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      // First, so that a misspelled key is named instead of the missing one.
      request = try CommandQueueRequest(body, isBroadcast: isBroadcast)
      list = try CommandRequest(body, strict: policy == .strict)
    } catch let error as CommandError {
      let place = error.index.map { JSONValue.object(["index": .integer(Int64($0))]) }
      return .answer(.error(400, "bad_command", error.description, detail: place))
    } catch {
      return .answer(.error(400, "bad_request", "\(error)"))
    }
    guard list.commands.count <= Response.commandsMax else {
      return .answer(.error(400, "too_many_commands", "a request queues at most \(Response.commandsMax) commands"))
    }
    let expiry = exchange.receivedAt.advanced(byMilliseconds: request.lifetimeSeconds * 1_000)
    // Before the first is queued, so that an answer given meanwhile does not miss it.
    latestExpiry.extend(to: expiry)
    let waiting = list.commands.enumerated().map { index, command in
      QueuedCommand(
        target: target(request), command: command.json.serialized, expiresAt: expiry,
        deduplicationKey: request.key.map { "\($0)#\(index)" }, proof: command.proof)
    }
    return proceed(CommandQueueing(waiting, warnings: list.warnings.map(\.explanation)))
  }

  private func proceed(_ ordering: CommandQueueing) -> Reply {
    guard let order = ordering.next else {
      guard ordering.taken.contains(where: \.wasQueued) else { return .answer(.ordered(ordering)) }
      return .ask { (reader) throws(StoreError) in .ordered(try ordering.showingWhatStands(reader)) }
    }
    return .queue(order) { id, isNew in
      var ordering = ordering
      ordering.take(id: id, isNew: isNew)
      return proceed(ordering)
    }
  }

  /// `PUT /admin/v1/devices/{device}/tags` with `{"tags":["vans"]}`; replaces the device's tags.
  func setTags(_ exchange: Exchange) -> Reply {
    do {
      let fields = try AdminFields(JSONValue(parsing: exchange.body.span), knows: ["tags"])
      let wrong = FieldError(
        "tags",
        .outOfRange(expected: "a list of at most 100 non-empty strings of at most \(DeviceIdentity.nameBytesMax) bytes")
      )
      guard case .array(let elements) = fields.value("tags"), elements.count <= 100 else { throw wrong }
      var tags: Set<ExactText> = []
      for element in elements {
        guard case .string(let tag) = element, !tag.isEmpty, tag.utf8.count <= DeviceIdentity.nameBytesMax else {
          throw wrong
        }
        tags.insert(ExactText(tag))
      }
      // In the order in which the store returns them.
      let ordered = tags.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return .change(.setTags(exchange.namedDevice, ordered), answering: "tags")
    } catch {
      return .answer(.error(400, "bad_request", "\(error)"))
    }
  }

}

extension Response {
  /// `commands`: a list of `id`, `command`, `alreadyQueued` (an open order had the same key, and is returned); `expiresAt`,
  /// repeated in a command whose expiry differs; `warnings`: the effects of the configurations on devices.
  fileprivate static func ordered(_ ordering: CommandQueueing) -> Response {
    let expiry = (ordering.taken.first { !$0.wasQueued } ?? ordering.taken.first)?.order.expiresAt
    return .object { writer in
      writer.objects("commands", ordering.taken) { writer, taken in
        writer.member("id", taken.id)
        writer.key("command")
        writer.raw(taken.order.command)
        writer.member("alreadyQueued", taken.wasQueued)
        if let expiry, taken.order.expiresAt != expiry {
          writer.member("expiresAt", instant: taken.order.expiresAt.millisecondsSince1970)
        }
      }
      if let expiry {
        writer.member("expiresAt", instant: expiry.millisecondsSince1970)
      }
      writer.list("warnings", ordering.warnings) { $0.value($1) }
    }
  }
}

/// A request to queue commands, without the commands themselves:
/// `{"commands":[["stop"]],"tag":"vans","ttl":"1h","key":"evening"}`.
struct CommandQueueRequest {
  /// Only in a broadcast; nil for everyone.
  let tag: String?
  let lifetimeSeconds: Int64
  /// While orders with this key are open, the same request adds nothing.
  let key: String?

  /// Long enough for a phone that is switched off over the weekend.
  static let standardLifetimeSeconds: Int64 = 7 * 86_400
  static let longestLifetimeSeconds: Int64 = 90 * 86_400

  init(_ body: JSONValue, isBroadcast: Bool) throws(FieldError) {
    let fields = try AdminFields(body, knows: [CommandKey.commands, "ttl", "key"] + (isBroadcast ? ["tag"] : []))
    let tag = isBroadcast ? try Self.name("tag", fields) : nil
    if let tag, tag.utf8.count > DeviceIdentity.nameBytesMax {
      throw FieldError("tag", .outOfRange(expected: "a string of at most \(DeviceIdentity.nameBytesMax) bytes"))
    }
    self.tag = tag
    key = try Self.name("key", fields)
    lifetimeSeconds = try Self.lifetime(fields.value("ttl"))
  }

  private static func name(_ key: String, _ fields: AdminFields) throws(FieldError) -> String? {
    let text = try fields.text(key)
    if text == "" { throw FieldError(key, .outOfRange(expected: "a non-empty string")) }
    return text
  }

  /// Reads a number of seconds, or a text such as `90s`, `10m`, `1h`, `7d`.
  private static func lifetime(_ value: JSONValue?) throws(FieldError) -> Int64 {
    let seconds: Int64?
    switch value {
    case nil: return standardLifetimeSeconds
    case .integer(let number): seconds = number
    case .string(let text): seconds = Nanoseconds(text: text).map { $0.wholeMilliseconds / 1_000 }
    default: seconds = nil
    }
    guard let seconds, (1...longestLifetimeSeconds).contains(seconds) else {
      throw FieldError(
        "ttl", .outOfRange(expected: "a time from 1s to 90d, such as 90s, 10m, 1h or 7d, or a number of seconds"))
    }
    return seconds
  }
}

/// A request that is queued command by command, each in a job of its own. If the store fails midway, the commands queued so far
/// stay queued; with a key the request can be repeated without duplicating them.
struct CommandQueueing: Sendable {
  /// A command that the store has accepted.
  struct Taken: Sendable {
    let id: Int64
    /// The order, or the earlier one that replaces it.
    fileprivate(set) var order: QueuedCommand
    /// Whether an open order with the same key and target already existed.
    let wasQueued: Bool
  }

  private(set) var waiting: [QueuedCommand]
  private(set) var taken: [Taken] = []
  let warnings: [String]

  init(_ orders: [QueuedCommand], warnings: [String]) {
    precondition(!orders.isEmpty, "a request without commands was refused")
    waiting = orders.reversed()
    self.warnings = warnings
  }

  /// The next command to queue.
  var next: QueuedCommand? { waiting.last }

  mutating func take(id: Int64, isNew: Bool) {
    taken.append(Taken(id: id, order: waiting.removeLast(), wasQueued: !isNew))
  }

  /// Replaces commands whose key is open by the existing order, whose command and expiry apply.
  func showingWhatStands(_ reader: any StoreReader) throws(StoreError) -> CommandQueueing {
    var shown = self
    for place in shown.taken.indices where shown.taken[place].wasQueued {
      let id = shown.taken[place].id
      let before = CommandCursor(order: id - 1, device: .max)
      let run = shown.taken[place].order.target.run
      let page = try reader.commands(run: run, device: nil, now: .latest, after: before, limit: 1)
      guard let line = page.elements.first, line.id == id, let expiry = WallInstant(exactly: line.expiresAt) else {
        continue
      }
      (shown.taken[place].order.command, shown.taken[place].order.expiresAt) = (line.command, expiry)
    }
    return shown
  }
}

extension QueuedCommand.Target {
  fileprivate var run: String {
    switch self {
    case .device(let device): device.run
    case .tag(_, let run), .everyone(let run): run
    }
  }
}

extension Command {
  /// The effect that a record shows when the device has carried it out; nil if records do not show it. The device may have
  /// reached the same state by itself.
  var proof: CommandProof? {
    switch self {
    case .changePace(let isMoving): .motionChange(isMoving: isMoving)
    case .setOdometer(let metres): .odometer(metres: metres)
    case .resetOdometer: .odometer(metres: 0)
    case .start, .stop, .startGeofences, .setConfig, .addGeofence, .addGeofences, .removeGeofence, .removeGeofences,
      .uploadLog, .destroyLog, .startSchedule, .stopSchedule, .ban:
      nil
    }
  }
}
