import BackendStore
import Base
import Contract
import CurlTransport
import Scenario
import Upload

extension OutsideSetup {
  /// Why there is no answer; nil when there is one, whatever it says.
  package func silence() throws -> TargetSilence? { try silence(of: origin) }

  private func silence(of origin: String) throws -> TargetSilence? {
    // A connection is made and nothing is sent: the first request is that of a device.
    var transport = transport
    (transport.connectsOnly, transport.isDirect) = (true, false)
    let client = try BlockingHTTPClient(transport)
    guard case .failed(let failure, let message) = client.ask(origin, seconds: 10) else { return nil }
    return TargetSilence(origin: origin, failure: failure, message: message)
  }

  /// Why what is stored cannot be read where `target.verify` says, as far as a look before the run shows; nil when nothing
  /// speaks against it. That the target itself answers is looked at elsewhere.
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
      // It speaks another protocol, and is said nothing.
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
