import Contract
import Host
import JSON
import Scenario
import Upload

/// Values that the run sets in each upload, whatever a server has configured: `target.headers`, which identify the device,
/// and in virtual time the URL of the in-process server, which replaces any other.
struct TargetOverrides {
  let headers: [NameValuePair]
  let url: String?

  /// Nil where the configuration has the same values, as it does until a server changes it.
  init?(_ own: Configuration, over configured: Configuration, names: [String], keepsURL: Bool) {
    guard case .object(let fields) = own.http.headers else { return nil }
    let current = configured.http.headers
    headers = names.compactMap { name in
      guard let value = fields[name], case .string(let text) = value, current[name] != value else { return nil }
      return NameValuePair(name, text)
    }
    let isElsewhere = configured.http.url != own.http.url && !configured.http.url.isEmpty
    url = keepsURL && isElsewhere ? own.http.url : nil
    if headers.isEmpty && url == nil { return nil }
  }

  func applied(to request: OutgoingRequest) -> OutgoingRequest {
    guard request.purpose == .records else { return request }
    let kept = request.headers.filter { field in !headers.contains { $0.hasName(field.name) } }
    return OutgoingRequest(
      id: request.id, purpose: request.purpose, method: request.method, url: url ?? request.url,
      headers: kept + headers, body: request.body, timeout: request.timeout, payload: request.payload,
      occasion: request.occasion)
  }
}

extension SimulatedDevice {
  /// Called after each change of the configuration.
  mutating func keepTarget(in run: RunContext) {
    let outside = run.setup.outside
    var names = (outside?.headers ?? run.setup.insideHeaders).map(\.name)
    if outside?.isOurs ?? true { names.append(HeaderName.deviceID.description) }
    phone.target = TargetOverrides(
      configuration(in: run), over: host.configuration, names: names, keepsURL: outside == nil)
  }
}
