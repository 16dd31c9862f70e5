import Base
import Contract
import Gzip
import HTTP1
import JSON
import Store

/// Handles the uploads of records.
struct UploadHandlers: Sendable {
  let authenticator: Authenticator
  let reader: UploadReader
  let metrics: ServerMetrics
  let policy: ServerConfiguration.Policy

  /// `POST /locations` and equivalent paths.
  func upload(_ exchange: Exchange, _ scratch: SessionScratch) -> Reply {
    let token: ShownToken?
    do throws(TokenProblem) { token = try authenticator.authenticate(exchange) } catch {
      switch error {
      case .refused(let response): return .answer(response)
      case .keyNotSeen(let look):
        exchange.hasLookedForKey = true
        return .again(after: look)
      }
    }
    let reading: UploadReading
    do throws(EnvelopeError) {
      reading = try reader.read(
        exchange.body, into: &scratch.envelope, findsDevice: exchange.deviceHeader == nil)
    } catch {
      return .answer(.malformedBody(error).to(exchange.identity(device(of: exchange, nil, token))))
    }
    guard let name = device(of: exchange, reading.device, token) else { return .answer(.wrongDevice) }
    guard let device = exchange.identity(name) else { return .answer(.nameTooLong) }
    if policy == .strict, !reading.quarantined.isEmpty {
      let count = reading.points.count + reading.quarantined.count
      return .answer(.recordsRefused(reading.quarantined, of: count).to(device))
    }
    metrics.arrived(
      records: reading.points.count + reading.quarantined.count, oldest: reading.oldest, at: exchange.receivedAt)
    let batch = IngestBatch(
      device: device, receivedAt: exchange.receivedAt,
      credential: token?.credential,
      parameters: reading.parameters, bytes: exchange.body, points: reading.points, quarantined: reading.quarantined)
    return .ingest(batch)
  }

  /// Returns the device that token, header, body or path names, in this order of precedence; nil when a required token belongs
  /// to a device other than the one that the request names.
  private func device(of exchange: Exchange, _ inBody: String?, _ token: ShownToken?) -> String? {
    let said = exchange.deviceHeader ?? inBody
    if let named = token?.device {
      let isTrusted = authenticator.mode == .off || said.map(named.isExactly) ?? true
      return isTrusted ? named : nil
    }
    let inPath = exchange.parameters.last.flatMap { $0.isEmpty ? nil : $0 }
    return said ?? inPath ?? "anonymous"
  }

  /// Takes the device name from the body of an upload that was refused for another reason, so that the recorded request is
  /// found by its device; without a usable one the path's stays. The name is not authenticated.
  func noteName(in exchange: Exchange, _ scratch: SessionScratch) {
    do throws(EnvelopeError) {
      let name = try reader.device(in: exchange.body, &scratch.envelope)
      if let device = exchange.identity(name) { exchange.device = device.name }
    } catch {}
  }

  /// Refuses what the head alone shows to be invalid. Bodies are JSON whatever their media type says, with two exceptions:
  /// compressed ones, and the encrypted ones of old clients (SDK §11.7).
  static func refuse(_ exchange: Exchange, _ framing: BodyFraming) -> Response? {
    if exchange.coding != .identity || exchange.isOctetStream {
      // RFC 9110 §12.5.3: the field tells the client which codings it may use.
      return .error(415, "unsupported_media_type", "send JSON, neither compressed nor encrypted")
        .with(HeaderName.acceptEncoding, "identity")
    }
    return framing == .none ? .error(411, "length_required", "the upload has no body") : nil
  }

  func uploaded(_ result: StoreResult, _ device: DeviceIdentity) -> Response {
    let receipt: IngestReceipt
    do throws(ResponseError) {
      receipt = try result.unpack({ if case .ingested(let receipt) = $0 { receipt } else { nil } }) { refusal in
        refusal == .wrongDevice || refusal == .deviceDeleted ? .refused(refusal) : .refused(refusal).to(device)
      }
    } catch {
      return error.response
    }
    metrics.stored(receipt)
    var response = Response.receipt(receipt)
    response.carried = CarriedCommands(receipt.commands, to: device)
    return response
  }
}

extension Exchange {
  fileprivate var isOctetStream: Bool {
    let name: StaticString = "application/octet-stream"
    guard let contentType, contentType.count >= name.utf8CodeUnitCount else { return false }
    return contentType.span.extracting(first: name.utf8CodeUnitCount).equals(lowercase: name)
  }
}

extension Response {
  static func receipt(_ receipt: IngestReceipt) -> Response {
    .object { writer in
      writer.member("accepted", receipt.accepted)
      writer.member("duplicate", receipt.duplicate)
      writer.member("quarantined", receipt.quarantined)
      writer.append(receipt.commands)
    }
  }

  static let nameTooLong = Response.error(
    400, "name_too_long", "the name of a device or of a run has at most \(DeviceIdentity.nameBytesMax) bytes")

  static let wrongDevice = Response.error(
    403, "wrong_device", "the token was issued to another device than the one that the request names, or in another run"
  )

  static func malformedBody(_ error: EnvelopeError) -> Response {
    switch error {
    case .empty: .error(400, "empty_body", "the body has no JSON value")
    case .neitherObjectNorArray: .error(400, "not_records", "the body is neither an object nor an array")
    case .malformed(let error): .error(400, "malformed_json", error.description)
    case .tooManyRecords(let limit):
      .error(413, "too_many_records", "a body holds at most \(limit) records: set maxBatchSize in the app")
    }
  }

  static func recordsRefused(_ items: [QuarantinedItem], of count: Int) -> Response {
    let list = items.prefix(100).map { item in
      JSONValue.object([
        "reason": .string(item.reason), "key": .string(item.detail), "offset": .integer(Int64(item.record.lowerBound)),
      ])
    }
    return .error(
      422, "records_refused", "\(items.count) of \(count.of("record")) invalid; nothing was stored",
      detail: .array(list))
  }

  static func refused(_ refusal: TokenRefusal) -> Response {
    switch refusal {
    case .wrongDevice: .wrongDevice
    case .deviceDeleted: .deviceDeleted
    case .unknown, .expired, .revoked, .replayed:
      .unauthorized("token_\(refusal.rawValue)", refusal.explanation, refusal.explanation)
    }
  }
}

extension TokenRefusal {
  /// A clause that tells what happened to the token, and what the client must do.
  fileprivate var explanation: String {
    switch self {
    case .unknown: "the token is unknown: it belongs to no registration, or its run was reset; register again"
    case .expired: "the token has expired, or an administrator has expired it"
    case .revoked:
      "the token was revoked, by an administrator or because a used refresh token of its registration was used again; register again"
    case .replayed:
      "the refresh token was used before, and its grace period has ended: all tokens of its registration are revoked; register again"
    case .wrongDevice, .deviceDeleted: preconditionFailure("these have answers of their own")
    }
  }
}

extension JSONWriter {
  /// Always a list of lists, the only shape that every client reads the same way (SDK §10.1).
  mutating func append(_ commands: [TakenCommand]) {
    guard !commands.isEmpty else { return }
    key("background_geolocation")
    beginArray()
    for command in commands { raw(command.command) }
    endArray()
  }
}
