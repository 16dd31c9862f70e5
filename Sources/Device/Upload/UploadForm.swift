import Contract

/// What goes around the records of every upload: made once for a configuration, as most devices upload more often than they
/// are configured.
final class UploadForm: Sendable {
  let headers: [NameValuePair]
  let envelope: EnvelopeWriter

  init(_ configuration: Configuration, userAgent: String) {
    let http = configuration.http
    headers = RequestHeaders.upload(configuration, userAgent: userAgent)
    envelope = EnvelopeWriter(rootProperty: http.rootProperty, params: RenderedObject(http.params) ?? .empty)
  }
}
