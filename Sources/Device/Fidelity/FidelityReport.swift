import Base
import Contract
package import DeviceLog
import Engine

/// How well our engine does what a real one did, given the same inputs.
package struct FidelityReport: Equatable, Sendable {
  /// One for each class, in their order.
  package let agreements: [Agreement]
  package let loggedMetres: Double
  package let replayedMetres: Double
  /// Some logs have no line of it.
  package let showsOdometer: Bool
  /// False when the log shows no configuration, so that the defaults were assumed.
  package let isConfigured: Bool

  /// With `isAsObserved` the engine has the habits of real devices that no document tells of (`EngineQuirks`).
  package init(_ log: LogReader, isAsObserved: Bool = true) {
    let beginning = Beginning(log)
    var quirks = EngineQuirks(areObserved: isAsObserved)
    let logged = LoggedCourse(log.facts, isMovingAtFirst: beginning.isMoving)
    var replayed = Replay(log.facts, beginning: beginning, quirks: quirks).course
    if isAsObserved && beginning.configuration.geolocation.useSignificantChangesOnly && log.platform == .android {
      for reference in SignificantTrail.Reference.allCases where reference != quirks.noiseReference {
        quirks.noiseReference = reference
        let other = Replay(log.facts, beginning: beginning, quirks: quirks).course
        if other.agreement(with: logged) > replayed.agreement(with: logged) { replayed = other }
      }
    }
    agreements = FidelityClass.allCases.map {
      Agreement($0, logged: logged.happenings, replayed: replayed.happenings)
    }
    loggedMetres = logged.metres
    replayedMetres = replayed.metres
    showsOdometer = logged.showsOdometer
    isConfigured = beginning.isConfigured
  }

  package subscript(_ kind: FidelityClass) -> Agreement {
    guard let agreement = agreements.first(where: { $0.kind == kind }) else {
      preconditionFailure("a report has every class")
    }
    return agreement
  }

  /// By how much the odometers differ, as a share of the longer way; nil when neither moved, or the log does not
  /// tell how far.
  package var odometerError: Double? {
    let longer = max(loggedMetres, replayedMetres)
    return longer > 0 && showsOdometer ? abs(replayedMetres - loggedMetres) / longer : nil
  }
}

extension ReplayedCourse {
  /// How many records of one side are those of the other.
  fileprivate func agreement(with logged: LoggedCourse) -> Double {
    Agreement(.records, logged: logged.happenings, replayed: happenings).share ?? 1
  }
}

/// What of an engine's doings is held against a log, each kind by itself.
package enum FidelityClass: String, CaseIterable, Sendable {
  case records
  case distanceFilter = "distance filter"
  case transitions
  case stopTimers = "stop timers"
  case geofences
  case uploads
}

/// How far two courses agree in one class.
package struct Agreement: Equatable, Sendable {
  package let kind: FidelityClass
  package private(set) var matched = 0
  /// In the log only.
  package private(set) var missing: [EngineAct] = []
  /// Of our engine only.
  package private(set) var extra: [EngineAct] = []

  /// Both sides may be so far apart in time: a real device works on while it writes, and a request for a position may
  /// be fulfilled a sample or two earlier.
  package static let windowMilliseconds: Int64 = 5_000

  /// Each act in the log is matched with the first of ours that is the same and near enough.
  init(_ kind: FidelityClass, logged: [EngineAct], replayed: [EngineAct]) {
    self.kind = kind
    var rest = replayed.filter { $0.kind == kind }
    for happening in logged where happening.kind == kind {
      let index = rest.firstIndex {
        $0.what == happening.what
          && abs($0.time.milliseconds(since: happening.time)) <= Agreement.windowMilliseconds
      }
      if let index {
        rest.remove(at: index)
        matched += 1
      } else {
        missing.append(happening)
      }
    }
    extra = rest
  }

  /// Nil when nothing happened on either side: then there is nothing to agree about.
  package var share: Double? {
    let all = matched + missing.count + extra.count
    return all == 0 ? nil : Double(matched) / Double(all)
  }
}
