/// A promise that a location backend has to keep for the SDK: how it is put to the test, and why it matters.
package struct ConformanceClause: Sendable {
  /// `batch-all-stored`: what `--only` and `--skip` name.
  package let id: String
  package let group: ClauseGroup
  package let level: ClauseLevel
  /// What the SDK does when it is broken.
  package let harm: ClauseHarm
  /// What is asked of the backend, as a sentence without a full stop.
  package let sentence: String
  /// Why, with the place in the SDK's documents.
  package let reason: String
  /// Threads of the SDK's users, as `flutter#176`.
  package let threads: [String]
  package let needs: Set<ClauseNeed>
  let phase: ClausePhase
  /// Clauses without which this one says nothing: when one of them is broken, it is the cause.
  package let presumes: [String]
  let provoke: @Sendable (ClauseRun) throws -> Void

  init(
    _ id: String, _ group: ClauseGroup, _ level: ClauseLevel = .must, _ harm: ClauseHarm, _ sentence: String,
    because reason: String, threads: [String] = [], needs: Set<ClauseNeed> = [.store], phase: ClausePhase = .together,
    presumes: [String] = [], _ provoke: @escaping @Sendable (ClauseRun) throws -> Void
  ) {
    self.id = id
    self.group = group
    self.level = level
    self.harm = harm
    self.sentence = sentence
    self.reason = reason
    self.threads = threads
    self.needs = needs
    self.phase = phase
    self.presumes = presumes
    self.provoke = provoke
  }

  /// All of them, in the order of the documentation.
  package static let all: [ConformanceClause] =
    storage + lasting + repetition + batches + content + neighbours + seasons + texts + fields + shapes + tokens
    + refreshes
    + remoteControl
    + connections + framing + trouble + restarts

  /// Where a thread that a clause names can be read.
  package static func address(ofThread thread: String) -> String? {
    let parts = thread.split(separator: "#")
    guard parts.count == 2, let repository = repositories[String(parts[0])] else { return nil }
    return "https://github.com/\(repository)/issues/\(parts[1])"
  }

  private static let repositories = [
    "react-native": "transistorsoft/react-native-background-geolocation",
    "flutter": "transistorsoft/flutter_background_geolocation",
    "cordova": "transistorsoft/cordova-background-geolocation-lt",
    "capacitor": "transistorsoft/capacitor-background-geolocation",
    "nativescript": "transistorsoft/nativescript-background-geolocation-lt",
    "mauron85": "mauron85/cordova-plugin-background-geolocation",
    "traccar": "traccar/traccar", "dawarich": "Freika/dawarich", "geopulse": "tess1o/GeoPulse",
    "mds": "openmobilityfoundation/mobility-data-specification",
  ]
}

/// What clauses are about.
package enum ClauseGroup: String, CaseIterable, Sendable {
  case storage = "Storage and acknowledgement"
  case repetition = "Repetition"
  case batches = "Batches and order"
  case content = "Content"
  case shapes = "Shapes of body"
  case tokens = "Tokens"
  case commands = "Remote control"
  case http = "HTTP"
  case trouble = "Trouble and restart"

  /// For `--only` and `--skip`.
  package var name: String { "\(self)" }
}

/// How much a clause weighs.
package enum ClauseLevel: String, CaseIterable, Sendable {
  /// Broken, it is a defect.
  case must
  /// Broken, it is a warning.
  case should
}

/// What the SDK does with a backend that breaks a clause.
package enum ClauseHarm: String, CaseIterable, Sendable {
  case lose, `repeat`, block, drain, wrong, deaf, others

  /// The rest of a sentence that begins with "the SDK".
  package var consequence: String {
    switch self {
    case .lose: "deletes the records for good: nothing sends them again"
    case .repeat: "sends the same records again and again"
    case .block: "cannot get past the head of its queue: everything behind it waits until it is too old"
    case .drain: "spends battery and data on requests that change nothing"
    case .wrong: "cannot know: what is stored is not what was sent"
    case .deaf: "does not understand the answer and goes on as before"
    case .others: "does not send such requests; others do, and take the backend for broken"
    }
  }
}

/// What it takes to judge a clause.
package enum ClauseNeed: String, CaseIterable, Sendable {
  /// A way to read what is stored.
  case store
  /// Tokens and a way to refresh them.
  case tokens
  /// Uploads without a valid token are refused.
  case refusal
  /// A way to queue commands.
  case commands
  /// A way to restart the backend.
  case restart
}

/// When a clause runs.
enum ClausePhase: Int, Comparable, CaseIterable {
  /// Before all others, one after the other.
  case first
  /// By itself, before those that run side by side: whether the backend bears that, and what they would disturb, as a memory of
  /// the last few hundred records.
  case crowd
  /// Side by side.
  case together
  /// By itself, as others would be in its way.
  case alone
  /// By itself, behind those: what is sent may stop a backend that does not expect it.
  case risky
  /// By itself, as the backend goes away meanwhile.
  case restart
  /// By itself, behind those: what the run began with is looked at again.
  case late
  /// From what was seen in all answers.
  case last

  static func < (left: ClausePhase, right: ClausePhase) -> Bool { left.rawValue < right.rawValue }
}
