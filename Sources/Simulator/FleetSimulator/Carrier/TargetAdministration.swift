import Base
import Contract
import JSON
import Scenario
import Upload

/// The administration of a Rolling Road server outside the run, as whoever owns it uses it.
final class TargetAdministration {
  private let questioner: Questioner
  private let base: String
  private let headers: [NameValuePair]

  init(_ questioner: Questioner, of target: OutsideSetup) {
    self.questioner = questioner
    base = target.administration
    headers = target.administrationHeaders
  }

  func limit(to span: Nanoseconds) { questioner.limit(to: span) }

  func ask(_ path: String, by method: String = "GET", body: [UInt8] = []) -> RequestOutcome {
    let json = body.isEmpty ? [] : [NameValuePair("Content-Type", "application/json")]
    return questioner.ask(base + path, by: method, headers: headers + json, body: body)
  }
}

extension OutsideSetup {
  /// `http://127.0.0.1:8080`, or the run that the URL names: `/r/{run}/…` is one.
  fileprivate var administration: String {
    let segments = OutsideSetup.parts(of: url).path.split(separator: "/", omittingEmptySubsequences: false)
    let isRun = segments.count >= 4 && segments[1] == "r" && !segments[2].isEmpty
    return origin + (isRun ? "/r/\(segments[2])" : "")
  }

  /// Who asks, and about which run.
  fileprivate var administrationHeaders: [NameValuePair] {
    var fields = headers.filter { $0.name.lowercased() == HeaderName.runID.description.lowercased() }
      .map { NameValuePair($0.name, $0.value) }
    if let token = adminToken { fields.append(NameValuePair("Authorization", "Bearer \(token)")) }
    return fields
  }
}
