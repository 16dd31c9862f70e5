import Contract
import Scenario
import Upload

/// What is under `/admin/v1` of a Rolling Road server beside the run, in the run that the devices upload into.
final class TargetAdministration {
  private let questioner: Questioner
  private let root: String
  private let fields: [NameValuePair]

  init(_ questioner: Questioner, of outside: OutsideSetup) {
    self.questioner = questioner
    root = outside.origin + outside.runPath + "/admin/v1/"
    // The run may also be named by a field, and then by that of every upload.
    let run = outside.headers.filter { $0.name.lowercased() == "x-run-id" }.map { NameValuePair($0.name, $0.value) }
    fields = run + (outside.adminToken.map { [NameValuePair("Authorization", "Bearer \($0)")] } ?? [])
  }

  func ask(_ path: String, by method: String = "GET", json: [UInt8] = []) -> RequestOutcome {
    let type = json.isEmpty ? [] : [NameValuePair("Content-Type", "application/json")]
    return questioner.ask(root + path, by: method, headers: fields + type, body: json)
  }
}

extension OutsideSetup {
  /// `/r/NAME` when the devices upload below it: there the server keeps what belongs to one run apart.
  var runPath: String {
    let path = OutsideSetup.parts(of: url).path.prefix { $0 != "?" }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count > 3, segments[1] == "r", !segments[2].isEmpty else { return "" }
    return "/r/\(segments[2])"
  }
}
