/// The advice for each cause, one sentence each.
extension Gap.Cause {
  package var words: String {
    switch self {
    case .stationary: "at rest"
    case .suspended: "suspended"
    case .terminated: "process ended"
    case .belowDistanceFilter: "below the distance filter"
    case .noFix: "without a position"
    case .rejected: "with positions refused"
    case .notKept: "with positions not kept"
    case .noPermission: "no permission"
    case .schedule: "off by schedule"
    case .stopped: "tracking stopped"
    case .unknown: "unknown"
    }
  }

  package var advice: String {
    switch self {
    case .stationary:
      "at rest: nothing is lost. If the SDK turns stationary too early, raise stopTimeout; if it notices a departure too late, lower stationaryRadius"
    case .suspended:
      "suspended: iOS lets the app sleep where location is off. preventSuspend keeps it awake at the cost of battery; otherwise the exit of the stationary region or a background fetch wakes it"
    case .terminated:
      "process ended: stopOnTerminate: false and, on Android, startOnBoot: true let tracking go on; a person who swipes the app away on iOS ends it until the next region exit"
    case .belowDistanceFilter:
      "below the distance filter: nothing is lost. A smaller distanceFilter, or disableElasticity, gives more records"
    case .noFix:
      "without a position: look for tunnels, buildings and power save mode; with useSignificantChangesOnly it is the rule"
    case .rejected: "positions refused: see geolocation.filter and its trackingAccuracyThreshold"
    case .notKept: "positions not kept: see persistMode and geolocation.filter"
    case .noPermission: "no permission: ask for Always (locationAuthorizationRequest), and watch providerchange"
    case .schedule: "off by schedule: see schedule of the configuration"
    case .stopped: "tracking stopped: look for stop() in the app, and for the command 'stop' in answers"
    case .unknown: "unknown: the log of the phone tells why (--log), with logger.logLevel verbose"
    }
  }
}

extension RecordFate {
  package var words: String {
    switch self {
    case .stored: "stored once"
    case .waiting: "waiting on the phone"
    case .refused: "refused"
    case .deletedByPhone: "deleted by the phone"
    case .quarantined: "quarantined"
    case .lost: "acknowledged and lost"
    case .lostByFault: "lost by an injected fault"
    case .storedTwice: "stored twice"
    case .storedChanged: "stored changed"
    case .otherDevice: "stored under another device"
    case .acknowledged: "acknowledged, no store asked"
    case .notJudged: "acknowledged and not judged"
    case .ambiguous: "of a blanked uuid"
    case .unknown: "unknown"
    }
  }

  package var advice: String? {
    switch self {
    case .stored: nil
    case .waiting:
      "it is sent with the next trigger; autoSync, autoSyncThreshold and the network decide when (docs/sdk-behaviour.md, 8)"
    case .refused:
      "the phone repeats it until it is acknowledged; the records after it wait. Find in the backend's log why it gave that answer"
    case .deletedByPhone: "raise maxRecordsToPersist and maxDaysToPersist, and look for destroyLocations in the app"
    case .quarantined: "GET /admin/v1/quarantine shows the record and the reason"
    case .lost:
      "the phone has deleted it: nothing sends it again. Answer 2xx only after the commit, and look in the backend between the answer and the insert; 'rollingroad conform' provokes it"
    case .lostByFault:
      "the backend is not to blame: GET /admin/v1/faults shows the rule. The phone has deleted the record, and nothing sends it again"
    case .storedTwice: "make the uuid a unique key, and acknowledge a record that is there already"
    case .storedChanged: "compare how the backend reads that field with what was sent"
    case .otherDevice: "look where the backend takes the device from: path, header, param or token"
    case .acknowledged: "name the store to know whether it is there: --dialect FILE, or --verify URL"
    case .notJudged:
      "name a device that the store knows with --device, and look at the place that --verify or the dialect names"
    case .ambiguous: "ask by device and time: rollingroad explain DEVICE FROM TO"
    case .unknown:
      "give more sources (--log, --journal, --dialect), or ask by device and time: a record that was never made has no uuid"
    }
  }
}

extension RecordStory {
  fileprivate var advice: String? {
    if isUndelivered {
      return
        "the backend acknowledged what it does not have. This time its answer did not reach the phone, which sends the record again; one whose phone gets the answer is lost for good. Answer 2xx only after the commit; 'rollingroad conform' provokes it"
    }
    if isRefusedByProxy {
      return
        "the proxy answered in the backend's place: look whether the backend runs, and whether the proxy reaches it (--upstream). The phone sends the record again"
    }
    guard isRefusedByFault else { return fate.advice }
    return
      "an injected fault refuses it, not the backend: GET /admin/v1/faults shows the rule, and the phone sends the record again"
  }
}

extension Explanation {
  /// The advice, without repetitions.
  package var advice: [String] {
    var all: [String] = []
    for story in stories { if let advice = story.advice, !all.contains(advice) { all.append(advice) } }
    let causes = gaps.flatMap(\.causes)
    for cause in Gap.Cause.allCases where causes.contains(cause) { all.append(cause.advice) }
    return all
  }
}
