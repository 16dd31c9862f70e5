/// A promise that a location backend must keep for the SDK: its test, and its reason.
package struct ConformanceClause: Sendable {
  /// The name for `--only` and `--skip`, as `batch-all-stored`.
  package let id: String
  package let group: ClauseGroup
  package let level: ClauseLevel
  /// The effect on the SDK when it is broken.
  package let harm: ClauseHarm
  /// The requirement, as a sentence without a full stop.
  package let sentence: String
  /// The reason, with the place in the SDK's documents.
  package let reason: String
  /// Reports of the SDK's users, as `flutter#176`.
  package let threads: [String]
  package let needs: Set<ClauseNeed>
  let phase: ClausePhase
  /// Clauses without which this one means nothing: when one of them is broken, it is the cause.
  package let presumes: [String]
  let provoke: @Sendable (ClauseRun) throws -> Void

  init(
    _ id: String, _ group: ClauseGroup, _ level: ClauseLevel = .must, _ harm: ClauseHarm, _ sentence: String,
    because reason: String, threads: [String] = [], needs: Set<ClauseNeed> = [.store], phase: ClausePhase = .parallel,
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

  /// All clauses, in the order of the documentation.
  package static let all: [ConformanceClause] =
    storage + lasting + repetition + batches + midnight + content + neighbours + seasons + texts + fields + events
    + shapes
    + tokens
    + refreshes
    + remoteControl + lostCommands
    + connections + framing + headers + bodies + refusals + longConnections + trouble + restarts

  /// Returns the URL of a report that a clause names.
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

/// The subject of a clause.
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

  /// The name for `--only` and `--skip`.
  package var name: String { "\(self)" }
}

/// The severity of a clause.
package enum ClauseLevel: String, CaseIterable, Sendable {
  /// A breach is a defect.
  case must
  /// A breach is a warning.
  case should
}

/// The effect of a broken clause on the SDK.
package enum ClauseHarm: String, CaseIterable, Sendable {
  case lose, `repeat`, block, drain, wrong, deaf, others

  /// The rest of a sentence that begins with "the SDK".
  package var consequence: String {
    switch self {
    case .lose: "deletes the records for good: nothing sends them again"
    case .repeat: "sends the same records again and again"
    case .block: "cannot get past the head of its queue: everything behind it waits until it is too old"
    case .drain: "spends battery and data on requests that change nothing"
    case .wrong: "cannot know: what is stored is not what was sent, or what it is told is not meant for it"
    case .deaf: "does not understand the answer and goes on as before"
    case .others: "does not send such requests; others do, and take the backend for broken"
    }
  }
}

/// A prerequisite for judging a clause.
package enum ClauseNeed: String, CaseIterable, Sendable {
  /// Access to the stored records.
  case store
  /// A login that gives tokens.
  case tokens
  /// A login, and a way to refresh its tokens.
  case refresh
  /// Uploads without a valid token are rejected.
  case refusal
  /// A way to queue commands.
  case commands
  /// A way to restart the backend.
  case restart
}

/// The phase in which a clause runs.
enum ClausePhase: Int, Comparable, CaseIterable {
  /// First, one after the other.
  case first
  /// Alone, before the parallel ones: tests whether the backend supports these, and what they would disturb, such as a cache
  /// of the last few hundred records.
  case beforeParallel
  /// In parallel.
  case parallel
  /// Alone, because others would interfere.
  case alone
  /// Alone, after those: it may stop a backend that is not prepared for it.
  case risky
  /// Alone, because the backend goes away meanwhile.
  case restart
  /// Alone, after those: checks the first records of the run again.
  case late
  /// From the observations in all answers.
  case last

  static func < (left: ClausePhase, right: ClausePhase) -> Bool { left.rawValue < right.rawValue }
}
