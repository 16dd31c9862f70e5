import Base
import Contract
import HTTP1
import JSON
import Store
import TLS

/// Handles the logs that devices send.
struct LogHandlers: Sendable {
  let key: String?
  let limits: HTTPLimits

  /// `POST /logs/{device}`: any file part of a form, or the bare file. No Authorization is checked: iOS sends none with a log,
  /// so the secret is part of the URL (SDK §20.5, §22 row 29).
  func keep(_ exchange: Exchange) -> Reply {
    if let refusal = refuseLogKey(exchange) { return .answer(refusal) }
    guard let device = exchange.identity(exchange.parameters.first) else { return .answer(.nameTooLong) }
    do throws(ResponseError) {
      let (name, bytes) = try logFile(exchange)
      if bytes.isEmpty { throw ResponseError(.error(400, "empty_log", "the log is empty")) }
      let log = UploadedLog(
        device: device, receivedAt: exchange.receivedAt, fileName: String(name.prefix(Self.fileNameMax)), bytes: bytes)
      return .change(.keepLog(log), answering: "kept")
    } catch {
      return .answer(error.response)
    }
  }

  private static let fileNameMax = 255

  private func refuseLogKey(_ exchange: Exchange) -> Response? {
    guard let key else { return nil }
    let shown = exchange.query.text("key") ?? ""
    let isRight = Cryptography.areEqual(Cryptography.sha256(Array(shown.utf8)), Cryptography.sha256(Array(key.utf8)))
    return isRight ? nil : .error(403, "wrong_log_key", "the URL needs ?key= with the server's log key")
  }

  private func logFile(_ exchange: Exchange) throws(ResponseError) -> (name: String, bytes: [UInt8]) {
    guard let type = exchange.mediaType, type.essence == "multipart/form-data" else {
      return ("device.log", exchange.body)
    }
    let body = exchange.body
    let parts: [FormPart]
    do throws(HTTPError) {
      parts = try FormPart.parse(body.span, boundary: type.parameter("boundary") ?? "", limits: limits)
    } catch {
      throw ResponseError(.error(error.status, "bad_multipart", error.reason))
    }
    guard let part = parts.first(where: { $0.filename != nil }), let name = part.filename else {
      throw ResponseError(.error(400, "file_missing", "no part of the form has a file name"))
    }
    return (name.isEmpty ? "device.log" : name, Array(body[part.content]))
  }

  /// `GET /admin/v1/devices/{device}/logs`: the latest first.
  func list(_ exchange: Exchange) -> Reply {
    let device = exchange.namedDevice
    return .ask { (reader) throws(StoreError) in .logs(try reader.logs(of: device)) }
  }

  /// `GET /admin/v1/devices/{device}/logs/{log}`: the bytes as received.
  func get(_ exchange: Exchange) -> Reply {
    let device = exchange.namedDevice
    guard let id = exchange.parameters.last.flatMap(Int64.init) else { return .answer(.noSuchLog) }
    return .ask { (reader) throws(StoreError) in
      guard let log = try reader.logs(of: device).first(where: { $0.id == id }), let bytes = try reader.log(id) else {
        return .noSuchLog
      }
      return .log(log.fileName, bytes)
    }
  }
}

extension Response {
  fileprivate static let noSuchLog = Response.error(404, "no_such_log", "the device has no log with this id")

  /// `logs`: a list of `id`, `receivedAt`, `fileName`, `bytes` (the length).
  fileprivate static func logs(_ logs: [StoredLog]) -> Response {
    .object { writer in
      writer.objects("logs", logs) { writer, log in
        writer.member("id", log.id)
        writer.member("receivedAt", instant: log.receivedAt)
        writer.member("fileName", log.fileName)
        writer.member("bytes", log.byteCount)
      }
    }
  }

  /// Always served as a download, never as a page: the content is not trusted.
  fileprivate static func log(_ name: String, _ bytes: [UInt8]) -> Response {
    let isCompressed = bytes.starts(with: [0x1F, 0x8B])
    return Response(200, isCompressed ? "application/gzip" : "application/octet-stream", bytes)
      .with(HeaderName.contentDisposition, attachment(name)).with(HeaderName.contentTypeOptions, "nosniff")
  }

  /// RFC 6266 §4.3, RFC 8187 §3.2.1: the name in UTF-8, with everything escaped that is not known to be harmless.
  private static func attachment(_ name: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var value = Array("attachment; filename*=UTF-8''".utf8)
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        value.append(byte)
      default: value += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: value, as: UTF8.self)
  }
}
