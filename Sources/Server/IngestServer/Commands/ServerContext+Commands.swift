import Base
import Contract
import JSON
import Store

extension ServerContext {
  /// `POST /admin/v1/devices/{id}/commands`. The device need not have been seen yet.
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
    _ exchange: Exchange, isBroadcast: Bool, target: (CommandOrderRequest) -> CommandOrder.Target
  ) -> Reply {
    let request: CommandOrderRequest
    let list: CommandRequest
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      list = try CommandRequest(body, strict: configuration.policy == .strict)
      request = try CommandOrderRequest(body, isBroadcast: isBroadcast)
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
    // Before the first is queued: an answer that is given meanwhile must not overlook it.
    orders.extend(to: expiry)
    let waiting = list.commands.enumerated().map { index, command in
      var writer = JSONWriter(capacity: 64)
      command.json.write(to: &writer)
      return CommandOrder(
        target: target(request), command: writer.bytes, expiresAt: expiry,
        deduplicationKey: request.key.map { "\($0)#\(index)" }, proof: command.proof)
    }
    return proceed(CommandOrdering(waiting, warnings: list.warnings.map(\.explanation)))
  }

  private func proceed(_ ordering: CommandOrdering) -> Reply {
    guard let order = ordering.next else { return .answer(.ordered(ordering)) }
    return .store(.order(order), afterwards: .ordering(ordering))
  }

  func ordered(_ ordering: CommandOrdering, _ result: StoreResult) -> Reply {
    var ordering = ordering
    switch result {
    case .ordered(let id, let isNew):
      ordering.take(id: id, isNew: isNew)
      return proceed(ordering)
    case .tooManyOrders:
      return .answer(.error(429, "too_many_orders", "as many commands are waiting as the server keeps"))
    case .unavailable(let outage): return .answer(.unavailable(outage))
    default: preconditionFailure("the store answers an order with an id, a refusal or an outage")
    }
  }

  /// The answer with what was found for its device; a store that is out of order adds nothing.
  func carrying(_ response: Response, _ result: StoreResult) -> Reply {
    switch result {
    case .commands(let commands): .answer(response.carrying(commands))
    case .unavailable: .answer(response.to(nil))
    default: preconditionFailure("the store answers with commands or an outage")
    }
  }

  /// `PUT /admin/v1/devices/{id}/tags` with `{"tags":["vans"]}`; replaces those it had.
  func setTags(_ exchange: Exchange) -> Reply {
    do {
      let fields = try AdminFields(JSONValue(parsing: exchange.body.span), knows: ["tags"])
      let wrong = FieldError("tags", .outOfRange(expected: "a list of at most 100 texts that are not empty"))
      guard case .array(let elements) = fields.value("tags"), elements.count <= 100 else { throw wrong }
      var tags: [String] = []
      for element in elements {
        guard case .string(let tag) = element, !tag.isEmpty else { throw wrong }
        tags.append(tag)
      }
      return .store(.setTags(exchange.namedDevice, tags), afterwards: .count("tags"))
    } catch {
      return .answer(.error(400, "bad_request", "\(error)"))
    }
  }

  /// How many things a job of an administrator changed, under a key that says which.
  func counted(_ key: StaticString, _ result: StoreResult, _ note: String? = nil) -> Response {
    switch result {
    case .changed(let count): return .count(key, count, note: note)
    case .unavailable(let outage): return .unavailable(outage)
    default: preconditionFailure("the store answers a change with a count or an outage")
    }
  }
}

extension Exchange {
  /// The device that the path names.
  var namedDevice: DeviceIdentity {
    guard let name = parameters.first else { preconditionFailure("the route has the device's name") }
    return DeviceIdentity(run: run, name: name)
  }
}

extension Response {
  /// `commands`: a list of `id`, `command`, `alreadyQueued` (an open order had the same key); `expiresAt`; `warnings`:
  /// what devices will make of the configurations.
  fileprivate static func ordered(_ ordering: CommandOrdering) -> Response {
    .json { writer in
      writer.beginObject()
      writer.key("commands")
      writer.beginArray()
      for taken in ordering.taken {
        writer.beginObject()
        writer.key("id")
        writer.value(taken.id)
        writer.key("command")
        writer.raw(taken.order.command)
        writer.key("alreadyQueued")
        writer.value(taken.wasQueued)
        writer.endObject()
      }
      writer.endArray()
      if let expiry = ordering.taken.first?.order.expiresAt {
        writer.key("expiresAt")
        writer.value(instant: expiry.millisecondsSince1970)
      }
      writer.key("warnings")
      writer.beginArray()
      for warning in ordering.warnings { writer.value(warning) }
      writer.endArray()
      writer.endObject()
    }
  }
}
