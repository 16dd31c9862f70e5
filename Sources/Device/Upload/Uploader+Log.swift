import Contract

/// The device's log to a server (SDK §20.5), beside any flush.
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
