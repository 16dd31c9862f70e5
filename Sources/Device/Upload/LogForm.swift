import Contract

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
      body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n".utf8)
      body += field.value
      body += Array("\r\n".utf8)
    }
    let disposition = "Content-Disposition: form-data; name=\"\(Self.filePart)\"; filename=\"\(Self.fileName)\""
    body += Array("--\(boundary)\r\n\(disposition)\r\nContent-Type: \(Self.fileType)\r\n\r\n".utf8)
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
      let isPresent = contents.contains { !$0[...].ranges(of: Array(boundary.utf8)).isEmpty }
      if !isPresent { return boundary }
      attempt += 1
    }
  }
}
