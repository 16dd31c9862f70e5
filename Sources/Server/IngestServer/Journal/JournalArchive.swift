import Base
import Contract
import Formats
import HTTP1
import Store

extension ListFormat<JournaledRequest> {
  /// HTTP Archive 1.2, for tools that read recordings of browsers and proxies.
  static func archive(_ routes: RecordedRoutes) -> ListFormat {
    let comment = "the journal keeps neither header fields of answers nor secrets; long bodies are truncated"
    return ListFormat(
      contentType: "application/har+json",
      opening: HARFile.opening(creator: Product.name, version: Product.version, comment: comment),
      separator: HARFile.separator,
      append: { request, bytes in
        let route = routes.route(of: request.entry.method, request.entry.path)
        HAREntry(request, route).append(to: &bytes)
      },
      closing: { _ in HARFile.closing })
  }
}

extension ListFormat<JournaledRequest> {
  /// Returns a scenario that sends the requests again, to any server.
  static func scenario(from begin: Int64) -> ListFormat {
    let description =
      "A recorded session. Secrets were not kept: put Authorization into target.headers. "
      + "Registrations, refreshes, and requests whose body was not kept whole are left out."
    return ListFormat(
      contentType: RequestScenario.contentType,
      opening: RequestScenario.opening(name: "session", description: description),
      separator: RequestScenario.separator,
      append: { request, bytes in
        let entry = request.entry
        RequestScenario.append(
          at: max(0, entry.receivedAt - begin), device: entry.device ?? "", method: entry.method, path: entry.path,
          headers: entry.fields, body: entry.body, status: entry.status, to: &bytes)
      },
      closing: { _ in RequestScenario.closing })
  }
}

extension JournalEntry {
  /// Returns whether the request is recorded completely, so that it can be sent again.
  func isWhole(_ routes: RecordedRoutes) -> Bool {
    let operation = routes.route(of: method, path)?.deviceOperation
    return !JournalDraft.isSecret(operation) && isBodyWhole
  }
}

extension HAREntry {
  fileprivate init(_ request: JournaledRequest, _ route: Route?) {
    let entry = request.entry
    let operation = route?.deviceOperation
    let isSecret = JournalDraft.isSecret(operation)
    let fields = entry.fields
    let requestBytes = entry.requestBytes(operation)
    let sent = HARRequest(
      method: entry.method, url: entry.url(fields), fields: fields, body: entry.body, bodySize: requestBytes,
      bodyComment: Self.comment(kept: entry.body.count, of: requestBytes, isSecret: isSecret))
    let answerBytes = isSecret ? nil : entry.answer.wholeCount
    let answered = HARResponse(
      status: entry.status, reason: StatusReason.phrase(for: entry.status).description, body: entry.answer,
      bodySize: answerBytes, mediaType: entry.answerMediaType,
      bodyComment: Self.comment(kept: entry.answer.count, of: answerBytes, isSecret: isSecret))
    var extras = [NameValuePair("_sequence", "\(request.sequence)"), NameValuePair("_run", entry.run)]
    if let device = entry.device { extras.append(NameValuePair("_device", device)) }
    if let route { extras.append(NameValuePair("_operation", route.name)) }
    if let fault = entry.fault { extras.append(NameValuePair("_fault", fault)) }
    self.init(
      startedAt: WallInstant(exactly: entry.receivedAt) ?? .earliest, request: sent, response: answered,
      timings: HARTimings(wait: entry.durationMicroseconds),
      comment: entry.fault.map { "injected fault \($0)" }, extras: extras)
  }

  /// Returns nil when the content is recorded completely.
  private static func comment(kept: Int, of whole: Int?, isSecret: Bool) -> String? {
    if isSecret { return "not kept: it holds tokens" }
    guard let whole, whole == kept else { return "the first \(kept) bytes" }
    return nil
  }
}

extension JournalEntry {
  var fields: [NameValuePair] {
    String(decoding: head, as: UTF8.self).split(separator: "\n").map { line in
      let name = line.prefix { $0 != ":" }
      return NameValuePair(String(name), String(line[name.endIndex...].dropFirst(2)))
    }
  }

  fileprivate func url(_ fields: [NameValuePair]) -> String {
    if path.contains("://") { return path }
    let host = fields.first { $0.hasName(HeaderName.host) }?.value ?? ""
    return "http://\(host.isEmpty ? "unknown" : host)\(path.hasPrefix("/") ? path : "/")"
  }

  /// The media type inferred from the answer, whose header fields are not recorded.
  fileprivate var answerMediaType: String? {
    switch answer.first {
    case nil: nil
    case UInt8(ascii: "{"), UInt8(ascii: "["): ContentType.json
    case UInt8(ascii: "<"): "text/html"
    default: "text/plain"
    }
  }
}
