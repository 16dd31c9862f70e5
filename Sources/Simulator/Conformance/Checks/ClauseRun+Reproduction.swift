import BackendStore
import Base
import HTTP1
import Scenario

/// Shell commands that show a finding again.
package struct Reproduction: Equatable, Sendable {
  /// The decisive request, and the backend's list of its device.
  package let line: String
  /// All requests of the clause with the list, each on a line of its own, where they alone reproduce the finding; else the
  /// commands of the line.
  package let script: String
  /// The number of requests of the script; nil where these are the ones of the line.
  let requests: Int?

  /// Longer ones would fill a screen.
  private static let lineBytesMax = 2_000
  var isLong: Bool { line.utf8.count > Reproduction.lineBytesMax }

  init(_ command: String) { self.init([command], sequence: nil) }

  fileprivate init(_ commands: [String], sequence: [String]?, requests: Int? = nil) {
    line = Reproduction.withUUIDs(commands).joined(separator: "; ")
    script = Reproduction.withUUIDs(sequence ?? commands).joined(separator: "\n")
    self.requests = requests
  }

  private static func withUUIDs(_ commands: [String]) -> [String] {
    (commands.contains(where: NewUUIDs.occur) ? [NewUUIDs.command] : []) + commands
  }
}

extension ClauseRun {
  /// The commands that show the breach again; nil where none can.
  var reproduction: Reproduction? {
    guard let lastSent else { return nil }
    let sent = log.all
    let decisive = sent.lastIndex { $0.request.isEqual(to: lastSent) }
    let queueing = sent.prefix(decisive ?? sent.count).filter(\.queuesCommands)
    // The end of a cut answer, with which commands are lost, is not in the hands of curl.
    if !queueing.isEmpty, log.isInPieces { return nil }
    let ending = list(of: decisive.map { sent[$0].device })
    let commands =
      [preface].compactMap(\.self) + queueing.map { command($0, printing: .status) }
      + [repeated(lastSent, among: sent), "echo"] + restarts(behind: decisive, of: sent.count) + ending
    guard let sequence = log.sequence, let decisive, sequence.count > queueing.count + 1 else {
      return Reproduction(commands, sequence: nil)
    }
    let all = sequence.indices.flatMap { index in
      restarts(at: index) + [command(sequence[index], printing: index == decisive ? .answer : .status)]
    }
    let last = ["echo"] + restarts(at: sequence.count) + ending
    return Reproduction(commands, sequence: all + last, requests: sequence.count)
  }

  /// Returns the command for a request; it sends the request twice if that was decisive.
  private func repeated(_ request: RawRequest, among sent: [SentLog.Entry]) -> String {
    let command = request.curl(by: target.transport)
    if isSentTwice { return "for _ in 1 2; do \(command) & done; wait" }
    let stored = sent.filter { $0.request.isEqual(to: request) && 200..<300 ~= $0.status }
    return stored.count > 1 ? "for _ in 1 2; do \(command); echo; done" : command
  }

  /// Returns the commands for the restarts since a request.
  private func restarts(behind decisive: Int?, of count: Int) -> [String] {
    guard let decisive else { return [] }
    return (decisive + 1...count).flatMap(restarts)
  }

  private func restarts(at position: Int) -> [String] {
    log.restarts(at: position).flatMap { signal in
      let wait = "curl -sS -g -o /dev/null --retry 20 --retry-delay 1 --retry-connrefused"
      return [
        "SIGNAL=\(signal) sh -c \((target.dialect.restart ?? "false").shellWord)",
        ([wait] + target.transport.wordsOfCurl(for: target.url) + [target.url.shellWord]).joined(separator: " "),
      ]
    }
  }

  private func command(_ entry: SentLog.Entry, printing part: RawRequest.PrintedPart) -> String {
    entry.request.curl(
      by: target.transport, printing: part, secretsOf: entry.queuesCommands ? .commands : nil)
  }

  /// Returns the command that lists the records of a device, if the clause has looked at lists.
  private func list(of device: String?) -> [String] {
    guard let lastListed else { return [] }
    let device = device.flatMap { $0.isEmpty ? nil : $0 } ?? lastListed
    return target.store?.listCommand(for: device).map { [$0] } ?? []
  }
}
