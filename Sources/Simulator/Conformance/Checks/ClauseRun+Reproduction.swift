import BackendStore
import Base
import HTTP1
import Scenario

/// Shell commands that show a finding again.
package struct Reproduction: Equatable, Sendable {
  /// The decisive request, and the backend's list of its device.
  package let commandLine: String
  /// All requests of the clause with the list, each on a line of its own, where they alone reproduce the finding; else the
  /// commands of the command line.
  package let script: String
  /// The number of requests of the script; nil where these are the ones of the command line.
  let requests: Int?

  /// Longer ones would fill a screen.
  private static let commandBytesMax = 2_000
  var isLong: Bool { commandLine.utf8.count > Reproduction.commandBytesMax }

  init(_ command: String) { self.init([command], sequence: nil) }

  fileprivate init(_ commands: [String], sequence: [String]?, requests: Int? = nil) {
    commandLine = Reproduction.withUUIDs(commands).joined(separator: "; ")
    script = Reproduction.withUUIDs(sequence ?? commands).joined(separator: "\n")
    self.requests = requests
  }

  private static func withUUIDs(_ commands: [String]) -> [String] {
    (commands.contains(where: UUIDRenewal.isNeeded) ? [UUIDRenewal.command] : []) + commands
  }
}

extension ClauseRun {
  /// What the finding shows as sent.
  var logOfFinding: SentLog { logOfOther ?? log }

  /// The commands that show the breach again; nil where none can.
  var reproduction: Reproduction? {
    guard let lastSent else { return nil }
    let (log, steps) = (logOfFinding, logOfFinding.steps)
    // A clause that cuts an answer loses the commands in it; curl cannot do that.
    if log.isInPieces, steps.contains(where: { $0.sending?.kind == .queueing }) { return nil }
    let decisive = decisiveCommands(lastSent, among: steps)
    guard let sequence = log.sequence, let index = decisiveIndex(lastSent, among: sequence) else {
      return Reproduction(decisive.commands, sequence: nil)
    }
    let requests = sequence.count { $0.sending != nil }
    guard requests > decisive.requests else { return Reproduction(decisive.commands, sequence: nil) }
    return Reproduction(decisive.commands, sequence: script(sequence, decisive: index), requests: requests)
  }

  /// Returns what shows the decisive request: the creation of its device, requests with a part of its records and the commands
  /// that were queued before it, restarts since then, itself, the restarts behind it, and the list; and the number of requests.
  private func decisiveCommands(_ request: RawRequest, among steps: [SentLog.Step]) -> (
    commands: [String], requests: Int
  ) {
    let index = decisiveIndex(request, among: steps)
    let (before, decisive) = (steps[..<(index ?? steps.endIndex)], index.flatMap { steps[$0].sending })
    let preparing = before.drop { $0.sending?.kind != .queueing }.filter {
      ($0.sending?.kind ?? .queueing) == .queueing
    }
    var sending = command(request)
    if isSentTwice {
      sending = "for _ in 1 2; do \(sending) & done; wait"
    } else if before.contains(where: { $0.sending.map { isRepetition(of: $0, request, decisive) } ?? false }) {
      sending = "for _ in 1 2; do \(sending); echo; done"
    }
    let creation = before.filter {
      $0.sending?.kind == .creating && $0.sending?.device == decisive?.device
    }.flatMap { self.commands($0, printing: .status) }
    let uuids = decisive.map(uuids) ?? []
    let earlier = before.filter { $0.sending.map { mayHaveStored($0, decisive, any: uuids) } ?? false }
    let restarts = index.map { steps[$0...].filter { $0.sending == nil } } ?? []
    let commands =
      [preface].compactMap(\.self) + earlier.flatMap { self.commands($0, printing: .status) }
      + preparing.flatMap { self.commands($0, printing: .status) } + [sending, "echo"]
      + restarts.flatMap { self.commands($0, printing: .status) } + list(of: decisive?.device)
    return (creation + commands, preparing.count { $0.sending != nil } + 1)
  }

  /// Of more answers only the status is shown, except of the decisive one.
  private static let answersMax = 12

  /// Returns the commands for all steps, and the list.
  private func script(_ steps: [SentLog.Step], decisive: Int) -> [String] {
    let isShort = steps.count { $0.sending?.kind == .sent } <= ClauseRun.answersMax
    let commands = steps.indices.flatMap { index in
      let isShown = steps[index].sending?.kind == .sent && (isShort || index == decisive)
      return self.commands(steps[index], printing: isShown ? .answer : .status) + (isShown ? ["echo"] : [])
    }
    return commands + list(of: steps[decisive].sending?.device)
  }

  /// Returns the index of a request, where it was sent if possible.
  private func decisiveIndex(_ request: RawRequest, among steps: [SentLog.Step]) -> Int? {
    func last(_ isFit: (SentLog.Sending) -> Bool) -> Int? {
      steps.lastIndex { $0.sending.map { $0.request.isEqual(to: request) && isFit($0) } ?? false }
    }
    return last { $0.kind == .sent } ?? last { _ in true }
  }

  /// Reports whether a request has the records of the decisive request, from the same phone, and may have been stored.
  private func isRepetition(of sending: SentLog.Sending, _ request: RawRequest, _ decisive: SentLog.Sending?) -> Bool {
    guard sending.request.isEqual(to: request), sending.phone == decisive?.phone else { return false }
    switch sending.kind {
    case .sent: return sending.status == 0 || 200..<300 ~= sending.status
    case .prepared: return logOfFinding.isInPieces
    case .queueing, .creating: return false
    }
  }

  /// Returns the uuids of the records in a request.
  private func uuids(of sending: SentLog.Sending) -> [String] {
    let text = String(decoding: sending.request.readableBody, as: UTF8.self)
    return logOfFinding.uuids.map(\.upperCaseText).filter(text.contains)
  }

  /// Reports whether the backend may know one of the records of the decisive request from another one of the phone.
  private func mayHaveStored(_ sending: SentLog.Sending, _ decisive: SentLog.Sending?, any uuids: [String]) -> Bool {
    guard let decisive, sending.phone != nil, sending.phone == decisive.phone,
      sending.kind == .sent || sending.kind == .prepared && logOfFinding.isInPieces,
      !sending.request.isEqual(to: decisive.request)
    else { return false }
    let text = String(decoding: sending.request.readableBody, as: UTF8.self)
    return uuids.contains(where: text.contains)
  }

  /// Returns the commands of a step.
  private func commands(_ step: SentLog.Step, printing part: RawRequest.PrintedPart) -> [String] {
    switch step {
    case .request(let sending):
      [command(sending.request, printing: part, secretsOf: sending.kind.secrets)]
    case .restart(let signal): restart(signal)
    }
  }

  private func command(
    _ request: RawRequest, printing part: RawRequest.PrintedPart = .answer, secretsOf purpose: SecretPurpose? = nil
  ) -> String {
    request.curl(
      by: target.transport, printing: part, secretsOf: purpose ?? .uploads(of: target.fieldsOfApp),
      renewing: UUIDRenewal(of: logOfFinding.uuids))
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
