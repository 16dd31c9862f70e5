internal import JSON

/// An invariant of every run.
package enum Invariant: String, CaseIterable, Sendable {
  case conservation = "I1-conservation"
  case noDeleteBeforeAck = "I2-no-delete-before-ack"
  case ackedIsDurable = "I3-acked-is-durable"
  case noPhantom = "I4-no-phantom"
  case byteIdentity = "I5-byte-identity"
  case explainedDuplicates = "I6-explained-duplicates"
  case singleFlight = "I7-single-flight"
  case batchBounds = "I8-batch-bounds"
  case order = "I9-order"
  case triggerLegality = "I10-trigger-legality"
  case cellularPolicy = "I11-cellular-policy"
  case bounds = "I12-bounds"
  case drain = "I13-drain"
  case noWedge = "I14-no-wedge"
  case boundedEffort = "I15-bounded-effort"
  case motion = "I16-motion"
  case odometerTolerance = "I17-odometer-tolerance"
  case geofence = "I18-geofence"
  case geofenceLiveness = "I19-geofence-liveness"
  case schedule = "I20-schedule"
  case lifecycle = "I21-lifecycle"
  case auth = "I22-auth"
  case remoteCommands = "I23-remote-commands"
  case identity = "I24-identity"
  case isolation = "I25-isolation"
  case resources = "I26-resources"
  case recording = "I27-recording"
  case dwell = "I28-dwell"
  case requestForm = "I29-request-form"
  case uploadDue = "I30-upload-due"
  case heartbeat = "I31-heartbeat"
  case motionLiveness = "I32-motion-liveness"
}

extension Invariant {
  /// Who violates it: the simulator's phones, or their server.
  package enum Subject: String, Sendable {
    case phone, server
  }

  package var subject: Subject {
    switch self {
    case .ackedIsDurable, .noPhantom, .auth: .server
    default: .phone
    }
  }

  /// The rule, as a sentence.
  package var rule: String {
    switch self {
    case .conservation:
      "each record is in exactly one place at any instant, and one that is to be kept is in the queue when the app is told of it, as it is of each (SDK §5.4, §6.6, §7.3)"
    case .noDeleteBeforeAck:
      "a record leaves the queue as delivered only after a whole answer of success to a request that held it (SDK §9.1)"
    case .ackedIsDurable:
      "every record that the server has acknowledged is in its store, as it was sent, or in quarantine"
    case .noPhantom:
      "the store holds each record once, and nothing of devices that do not exist; a record that lies under another device alone is missing under its own (I3); what other runs may have left is told in a note"
    case .byteIdentity:
      "a record is rendered once, with the values that the app is told, the extras of the configuration and the keys of its template where there is one, and every request carries the same bytes of it (SDK §5.1, §7.2, §7.5)"
    case .explainedDuplicates:
      "a record is sent again only when its answer was lost or unsuccessful, or the app ended meanwhile (SDK §9.4)"
    case .singleFlight:
      "a device has one upload under way at most (SDK §8.5)"
    case .batchBounds:
      "a request holds one record without batches, and with them from one to `maxBatchSize`, or all that wait without a limit (SDK §8.2, §8.4)"
    case .order:
      "a request takes the oldest records that wait, or the newest where the configuration says so (SDK §8.4)"
    case .triggerLegality:
      "below `autoSyncThreshold`, or with `autoSync` off, an upload begins only where the SDK allows it, and without a network none does (SDK §8.5.2, §8.5.3, §8.5.7)"
    case .cellularPolicy:
      "no upload begins by itself on a cellular network with `disableAutoSyncOnCellular` (SDK §8.5)"
    case .bounds:
      "a queue keeps `maxRecordsToPersist`, `maxDaysToPersist` and `persistMode`, and gives up no record but for these, the oldest first (SDK §7.3, §7.4)"
    case .drain:
      "once all faults are over, every queue empties, where no device still uploads when the settle phase ends; an external server that does not accept all records, an upload that is longer than the server in the process takes or than its time limit, or a refusal to renew tokens of the app's own configuration, is a finding about the server instead"
    case .noWedge:
      "a device with records, a network and a running app does not stop trying (SDK §9.2, §9.3)"
    case .boundedEffort:
      "an attempt after a failure needs a new trigger (SDK §9.3)"
    case .motion:
      "motion changes alternate, only their records have the event, at rest nothing is recorded unasked but significant changes of Android, a record of a crossing says the state of a motion change, a record says the activity that the sensors have reported last, which they report unless `disableMotionActivityUpdates` is on, nothing is recorded once `stopAfterElapsedMinutes` are over, and tracking ends only when asked, or after these minutes (SDK §2.7, §12.1, §12.7.3, §7.3, §12.4.4, §19.6)"
    case .odometerTolerance:
      "the odometer agrees with the distance travelled, within a tolerance, a command sets it and makes a record with its value, its error grows with the accuracies of each step and is 0 where it is set, and a position that is too poor does not advance it, nor a crossing while locations are tracked; without tracking crossings do (SDK §15.6, §17)"
    case .geofence:
      "entries and exits of a geofence alternate, their records name it and have its extras, they are where the device crosses and are counted, dwelling is reported once per visit after `loiteringDelay`, nothing that a fence does not notify is reported, no more are monitored than may be, none beyond `geofenceProximityRadius`, none is entered or dwelt in again after a restart, or entered where the device is already without `geofenceInitialTriggerEntry`, and none is monitored without \"Always\" (SDK §15.2, §15.3)"
    case .geofenceLiveness:
      "every true entry into or exit from a geofence is reported (SDK §15.3 to §15.6)"
    case .schedule:
      "a schedule turns tracking on inside its windows and off outside, until it is stopped (SDK §16.2, §16.3)"
    case .lifecycle:
      "the state saved before an app or phone ends is the state that the next start reads, and the system starts only what it may (SDK §19.1 to §19.4)"
    case .auth:
      "an access token that has expired or was revoked gets no success; on the phone's side, one refresh is under way at most, it follows a 401 or the end of a token, what it brings is kept (SDK §11.2, §11.6), and no upload begins with a token known to have expired (SDK §11.5)"
    case .remoteCommands:
      "the commands of an answer are carried out once each and in order, the last hundred of them, and have their effect (SDK §10.2, §10.3)"
    case .identity:
      "records have identities of their own, none is a copy of a motion change, their times do not go back unless the clock does, and `recorded_at` is the time at which they are made (SDK §5.1, §5.4, §14.2)"
    case .isolation:
      "a device behaves the same whatever other devices do; shown by two runs and not within one"
    case .resources:
      "each request ends within its time limit, and few are under way at once, beside the logs that commands ask for (SDK §20.5)"
    case .recording:
      "a device that tracks and moves records positions on the way, `distanceFilter` apart, with `useSignificantChangesOnly` no stream of them, and each record contains the true place with all its digits, speed, heading and altitude at its time, its age and the state of the battery (SDK §5.1, §12.5, §12.7, §14.1, §14.2)"
    case .dwell:
      "a stay of `loiteringDelay` in a geofence is reported (SDK §15.3)"
    case .requestForm:
      "headers, params, token, method and shape of a request are those of the configuration, and so is the form of a refresh (SDK §8.1 to §8.3, §11.1, §11.2)"
    case .uploadDue:
      "uploads begin when they are due and go on while the server takes them (SDK §8.5, §9.2, §9.3)"
    case .heartbeat:
      "a stationary phone sends heartbeats at its interval and a moving one sends none, stores none, and sends them in the background of iOS only while the system allows it (SDK §18)"
    case .motionLiveness:
      "a device that stops becomes stationary after its stop timeout and not before, and one that departs is moving soon after and not without a sign of it, with one of `triggerActivities` where there are any (SDK §12.1 to §12.6)"
    }
  }
}

/// The selection of invariants.
package struct InvariantSelection: Equatable, Sendable {
  package var enabled = Invariant.allCases
  package var disabled: [Invariant] = []
  package var onViolation = ViolationResponse.shrink

  package init() {}

  /// The invariants to check, in order.
  package var checked: [Invariant] { enabled.filter { !disabled.contains($0) } }
}

extension InvariantSelection: ScenarioSection {
  static let table = Table<InvariantSelection>(
    "invariants", "Which invariants are checked.",
    [
      .key("enable", \.enabled, .invariants, "`all`, or a list."),
      .key("disable", \.disabled, .list(of: .choice), "Invariants that are not checked."),
      .key("onViolation", \.onViolation, .choice, "What happens after the first violation."),
    ])
}

extension ValueCodec where Value == [Invariant] {
  fileprivate static var invariants: ValueCodec {
    let some = list(of: .choice)
    return ValueCodec(
      .anyOf([.choice(["all"]), some.schema]), show: { $0 == Invariant.allCases ? .string("all") : nil }
    ) { value, context in
      if case .string("all") = value.content { return Invariant.allCases }
      guard case .array = value.content else {
        context.refuse(value, expected: "\"all\" or a list of invariants")
        return nil
      }
      return some.read(value, &context)
    }
  }
}

/// The reaction to the first violation.
package enum ViolationResponse: String, CaseIterable, Sendable {
  /// The run ends and is reduced to a minimal plan.
  case shrink
  case stop
  case proceed = "continue"
}

/// The situations without which a passed run means little.
package struct Coverage: Equatable, Sendable {
  package var sometimes: [CoverageGoal] = []
  package var requireOverSeeds = 1

  package init() {}
}

extension Coverage: ScenarioSection {
  static let table = Table<Coverage>(
    "coverage", "Situations that a run must reach for its result to count.",
    [
      .key("sometimes", \.sometimes, .list(of: .choice), "Situations that must have occurred."),
      .key(
        "requireOverSeeds", \.requireOverSeeds, .integer(1...1_000_000), "Number of seeds over which they are required."
      ),
    ])
}

/// A situation that must occur at least once over many seeds.
package enum CoverageGoal: String, CaseIterable, Sendable {
  case duplicateAfterLostAck = "duplicate-after-lost-ack"
  case crashBetweenSuccessAndDelete = "crash-between-2xx-and-delete"
  case unauthorizedMidFlush = "401-mid-flush"
  case refreshTokenRotatedTwice = "refresh-token-rotated-twice"
  case queueLongerThanMaxBatchSize = "queue-longer-than-maxBatchSize"
  case expiryOfLockedRecord = "expiry-of-locked-record"
  case geofenceExitWhileOffline = "geofence-exit-while-offline"
  case rebootWhileOffline = "reboot-while-offline"
  case urlChangeWithQueue = "url-change-with-queue"
  case tooLargeThenSmallerBatches = "413-then-smaller-batches"
  case redirectAnsweredToPost = "redirect-answered-to-post"
  case diskFullDuringInsert = "disk-full-during-insert"
  case clockSteppedBackwards = "clock-stepped-backwards"
  case watchdogUnlock = "watchdog-unlock"
}
