import BackendStore
import Base
import Contract
import CurlTransport
import Scenario
import Upload

extension OutsideSetup {
  /// Returns why there is no answer; nil when there is one, of any kind.
  package func silence() throws -> TargetSilence? { try silence(of: origin) }

  private func silence(of origin: String) throws -> TargetSilence? {
    // Only a connection is made: the first request is that of a device.
    var transport = transport
    (transport.connectsOnly, transport.isDirect) = (true, false)
    let client = try BlockingHTTPClient(transport)
    guard case .failed(let failure, let message) = client.ask(origin, seconds: 10) else { return nil }
    return TargetSilence(origin: origin, failure: failure, message: message)
  }

  /// Returns why the store of `target.verify` cannot be read, as far as a check before the run shows; nil without objection.
  /// Whether the target itself answers is checked elsewhere.
  package func unreadablePlace(_ variable: (String) -> String?) throws -> String? {
    guard verification.effectiveMethod == .query else { return nil }
    for url in [verification.url, verification.quarantinedURL].compactMap(\.self) where !url.hasPrefix("/") {
      let place = URLParts(url).origin
      guard place != origin, !DevicePlaceholders.stand(in: place), !place.contains("{") else { continue }
      if let silence = try silence(of: place) { return silence.text(variable) }
    }
    var silences: [TargetSilence] = []
    let hosts = verification.place.streamHosts
    for host in hosts {
      // The host speaks another protocol, so only a connection is made.
      guard let silence = try silence(of: "http://\(host)") else { break }
      silences.append(silence)
    }
    if !hosts.isEmpty, silences.count == hosts.count, let first = silences.first {
      return "no answer from \(hosts.joined(separator: ", ")): \(first.message)"
    }
    do throws(StoreViewError) { try verification.place.view(fields: verification.fields)?.check() } catch {
      return error.text
    }
    return nil
  }
}
