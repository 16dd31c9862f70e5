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
  /// What the finding shows as sent.
  var logOfFinding: SentLog { logOfOther ?? log }

  /// The commands that show the breach again; nil where none can.
  var reproduction: Reproduction? {
    guard let lastSent else { return nil }
    let (log, entries) = (logOfFinding, logOfFinding.all)
    // A clause that cuts an answer loses the commands in it; curl cannot do that.
    if log.isInPieces, entries.contains(where: { $0.kind == .queueing }) { return nil }
    let line = line(lastSent, among: entries)
    guard let sequence = log.sequence, sequence.count > line.requests, let index = decisive(lastSent, among: sequence)
    else { return Reproduction(line.commands, sequence: nil) }
    return Reproduction(line.commands, sequence: script(sequence, decisive: index), requests: sequence.count)
  }

  /// Returns what shows the decisive request: the commands that were queued before it, and restarts since then, itself, the
  /// restarts behind it, and the list; and the number of requests.
  private func line(_ request: RawRequest, among entries: [SentLog.Entry]) -> (commands: [String], requests: Int) {
    let index = decisive(request, among: entries)
    let before = entries.prefix(index ?? entries.count)
    let queueing = before.filter { $0.kind == .queueing }
    let first = before.firstIndex { $0.kind == .queueing }
    let preparing = (first.map { entries[$0...(index ?? before.endIndex - 1)] } ?? []).flatMap { entry in
      entry.restarts.flatMap(restart) + (entry.kind == .queueing ? [command(entry, printing: .status)] : [])
    }
    var sending = request.curl(by: target.transport)
    if isSentTwice {
      sending = "for _ in 1 2; do \(sending) & done; wait"
    } else if before.contains(where: { isRepetition(of: $0, request, index.map { entries[$0] }) }) {
      sending = "for _ in 1 2; do \(sending); echo; done"
    }
    let restarts = index.map { entries[($0 + 1)...].flatMap(\.restarts) + logOfFinding.lastRestarts } ?? []
    let commands =
      [preface].compactMap(\.self) + preparing + [sending, "echo"] + restarts.flatMap(restart)
      + list(of: index.map { entries[$0].device })
    return (commands, queueing.count + 1)
  }

  /// Of more answers only the status is shown, except of the decisive one.
  private static let answersMax = 12

  /// Returns the commands for all requests, the restarts between them, and the list.
  private func script(_ sequence: [SentLog.Entry], decisive: Int) -> [String] {
    let isShort = sequence.count { $0.kind == .sent } <= ClauseRun.answersMax
    let commands = sequence.indices.flatMap { index in
      let entry = sequence[index]
      let isShown = entry.kind == .sent && (isShort || index == decisive)
      return entry.restarts.flatMap(restart) + [command(entry, printing: isShown ? .answer : .status)]
        + (isShown ? ["echo"] : [])
    }
    return commands + logOfFinding.lastRestarts.flatMap(restart) + list(of: sequence[decisive].device)
  }

  /// Returns the index of a request, where it was sent if possible.
  private func decisive(_ request: RawRequest, among entries: [SentLog.Entry]) -> Int? {
    entries.lastIndex { $0.kind == .sent && $0.request.isEqual(to: request) }
      ?? entries.lastIndex { $0.request.isEqual(to: request) }
  }

  /// Reports whether an entry has the records of the decisive request, from the same phone, and may have been stored.
  private func isRepetition(of entry: SentLog.Entry, _ request: RawRequest, _ decisive: SentLog.Entry?) -> Bool {
    guard entry.request.isEqual(to: request), entry.phone == decisive?.phone else { return false }
    switch entry.kind {
    case .sent: return entry.status == 0 || 200..<300 ~= entry.status
    case .prepared: return logOfFinding.isInPieces
    case .queueing: return false
    }
  }

  private func command(_ entry: SentLog.Entry, printing part: RawRequest.PrintedPart) -> String {
    entry.request.curl(
      by: target.transport, printing: part, secretsOf: entry.kind == .queueing ? .commands : nil)
  }

  /// Returns the commands that restart the backend, and wait for it.
  private func restart(_ signal: String) -> [String] {
    let wait = "curl -sS -g -o /dev/null --retry 20 --retry-delay 1 --retry-connrefused"
    return [
      "SIGNAL=\(signal) sh -c \((target.dialect.restart ?? "false").shellWord)",
      ([wait] + target.transport.wordsOfCurl(for: target.url) + [target.url.shellWord]).joined(separator: " "),
    ]
  }

  /// Returns the command that lists the records of a device, if the clause has looked at lists.
  private func list(of device: String?) -> [String] {
    guard let lastListed else { return [] }
    let device = device.flatMap { $0.isEmpty ? nil : $0 } ?? lastListed
    return target.store?.listCommand(for: device).map { [$0] } ?? []
  }
}
