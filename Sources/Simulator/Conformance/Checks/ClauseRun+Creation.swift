import AnswerCheck
import BackendStore
import Base
import Contract
import Scenario
import Shell
import Upload

/// Devices that a backend must know before their first request, by the request or the command of the dialect.
extension ClauseRun {
  private static let timeOfCommands = 30_000

  /// Creates a device at the backend, once in a run.
  func create(_ device: String) throws {
    let devices = target.dialect.devices
    guard devices.url != nil || devices.command != nil, facts.noteCreation(of: device) else { return }
    guard let problem = problemOfCreation(of: device) else { return }
    let reason = "no device can be created: \(problem)"
    throw clause.phase == .first ? endOfJudging(reason) : ClauseStop.notJudged(reason)
  }

  private func problemOfCreation(of device: String) -> String? {
    if let request = creation(of: device) {
      log.note(request, of: device)
      let (outcome, _) = target.client.ask(
        request.url, by: request.method, headers: request.headers, body: request.body)
      return 200..<300 ~= outcome.status ? nil : "devices.url was \(outcome.answer(160))"
    }
    let command = target.dialect.devices.command ?? ""
    switch ShellCommand.run(command, ["DEVICE": device], within: ClauseRun.timeOfCommands, { _ in true }) {
    case .code(0): return nil
    case .code(let code): return "devices.command ended with \(code)"
    case .timeout, .unwanted: return "devices.command did not end, and was killed"
    }
  }

  /// Returns the request that creates a device; nil where a command does.
  private func creation(of device: String) -> RawRequest? {
    let devices = target.dialect.devices
    guard let url = target.creationURL else { return nil }
    return RawRequest(
      ofDialect: devices.method, url.filling("device", device.percentEncoded),
      headers: devices.headers.map { NameValuePair($0.name, $0.value) }, body: devices.body.filling("device", device))
  }
}
