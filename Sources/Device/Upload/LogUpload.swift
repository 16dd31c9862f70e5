internal import Base
import Contract

/// A log to upload (SDK §20.5).
package struct LogUpload: Equatable, Sendable {
  package let url: String
  /// The log, compressed with gzip.
  package let gzip: [UInt8]
  /// The SDK's state as JSON.
  package let state: [UInt8]
  package let model: String
  package let manufacturer: String
  /// The version of the operating system.
  package let version: String

  package init(url: String, gzip: [UInt8], state: [UInt8], model: String, manufacturer: String, version: String) {
    self.url = url
    self.gzip = gzip
    self.state = state
    self.model = model
    self.manufacturer = manufacturer
    self.version = version
  }
}

/// `multipart/form-data` (RFC 7578) with the log's fields and its file.
struct LogForm {
  static let filePart = "file"
  static let fileName = "background-geolocation.log.gz"
  static let fileType = "application/gzip"

  let contentType: String
  let body: [UInt8]

  init(_ upload: LogUpload, platform: DevicePlatform, number: UInt64) {
    let fields: [(name: String, value: [UInt8])] = [
      ("state", upload.state), ("model", Array(upload.model.utf8)),
      ("manufacturer", Array(upload.manufacturer.utf8)), ("platform", Array(platform.rawValue.utf8)),
      ("version", Array(upload.version.utf8)),
    ]
    let contents = fields.map(\.value) + [upload.gzip]
    let boundary = Self.boundary(number, absentFrom: contents)
    var body: [UInt8] = []
    body.reserveCapacity(contents.reduce(1_024) { $0 + $1.count })
    for field in fields {
      body += Array("--\(boundary)\r\n\(HeaderName.contentDisposition): form-data; name=\"\(field.name)\"\r\n\r\n".utf8)
      body += field.value
      body += Array("\r\n".utf8)
    }
    let disposition =
      "\(HeaderName.contentDisposition): form-data; name=\"\(Self.filePart)\"; filename=\"\(Self.fileName)\""
    body += Array("--\(boundary)\r\n\(disposition)\r\n\(HeaderName.contentType): \(Self.fileType)\r\n\r\n".utf8)
    body += upload.gzip
    body += Array("\r\n--\(boundary)--\r\n".utf8)
    contentType = "multipart/form-data; boundary=\(boundary)"
    self.body = body
  }

  /// RFC 2046 §5.1.1: no part may contain the boundary.
  private static func boundary(_ number: UInt64, absentFrom contents: [[UInt8]]) -> String {
    var attempt = 0
    while true {
      let boundary = "boundary-\(number)-\(attempt)"
      let isPresent = contents.contains { $0.span.contains(boundary) }
      if !isPresent { return boundary }
      attempt += 1
    }
  }
}

/// Upload of the device's log (SDK §20.5), independent of any flush.
extension Uploader {
  mutating func send(_ upload: LogUpload, _ completion: UInt64, _ effects: inout [UploadEffect]) {
    let id = takeRequestID()
    let form = LogForm(upload, platform: configuration.platform, number: id)
    logUploads.append(PendingLogUpload(request: id, completion: completion))
    effects.append(
      .send(
        OutgoingRequest(
          id: id, purpose: .log, method: UploadMethod.post.rawValue, url: upload.url,
          headers: RequestHeaders.log(configuration, contentType: form.contentType, userAgent: userAgent),
          body: form.body, timeout: UploadRules.timeout(milliseconds: configuration.http.timeoutMilliseconds))))
  }
}
