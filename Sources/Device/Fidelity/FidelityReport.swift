import Base
import Contract
package import DeviceLog
import Engine

/// A comparison of our engine with a real one, given the same inputs.
package struct FidelityReport: Equatable, Sendable {
  /// One for each class, in order.
  package let agreements: [Agreement]
  package let loggedMetres: Double
  package let replayedMetres: Double
  /// Whether the log shows an odometer; some do not.
  package let showsOdometer: Bool
  /// Whether the log shows a configuration; otherwise the defaults were assumed.
  package let isConfigured: Bool

  /// With `isAsObserved` the engine has the undocumented behaviour of real devices (`EngineQuirks`).
  package init(_ log: LogReader, isAsObserved: Bool = true) {
    let initial = InitialState(log)
    var quirks = EngineQuirks(areObserved: isAsObserved)
    let logged = LoggedActs(log.facts, isMovingAtFirst: initial.isMoving)
    var replayed = Replay(log.facts, initial: initial, quirks: quirks).acts
    if isAsObserved && initial.configuration.geolocation.useSignificantChangesOnly && log.platform == .android {
      for reference in SignificantTrail.Reference.allCases where reference != quirks.noiseReference {
        quirks.noiseReference = reference
        let other = Replay(log.facts, initial: initial, quirks: quirks).acts
        if other.agreement(with: logged) > replayed.agreement(with: logged) { replayed = other }
      }
    }
    agreements = FidelityClass.allCases.map {
      Agreement($0, logged: logged.acts, replayed: replayed.acts)
    }
    loggedMetres = logged.metres
    replayedMetres = replayed.metres
    showsOdometer = logged.showsOdometer
    isConfigured = initial.isConfigured
  }

  package subscript(_ kind: FidelityClass) -> Agreement {
    guard let agreement = agreements.first(where: { $0.kind == kind }) else {
      preconditionFailure("a report has every class")
    }
    return agreement
  }

  /// The difference of the odometers as a share of the longer distance; nil when neither moved, or the log shows no distance.
  package var odometerError: Double? {
    let longer = max(loggedMetres, replayedMetres)
    return longer > 0 && showsOdometer ? abs(replayedMetres - loggedMetres) / longer : nil
  }
}

extension ReplayedActs {
  /// Returns the share of records that match those of the other side.
  fileprivate func agreement(with logged: LoggedActs) -> Double {
    Agreement(.records, logged: logged.acts, replayed: acts).share ?? 1
  }
}

/// The classes of compared acts.
package enum FidelityClass: String, CaseIterable, Sendable {
  case records
  case distanceFilter = "distance filter"
  case transitions
  case stopTimers = "stop timers"
  case geofences
  case uploads
}

/// The agreement of two courses in one class.
package struct Agreement: Equatable, Sendable {
  package let kind: FidelityClass
  package private(set) var matched = 0
  /// The acts that only the log has.
  package private(set) var missing: [EngineAct] = []
  /// The acts that only our engine has.
  package private(set) var extra: [EngineAct] = []

  /// The maximum difference in time: a real device continues while it writes its log, and a request for a position may
  /// be fulfilled a sample or two earlier.
  package static let windowMilliseconds: Int64 = 5_000

  /// Each act in the log is matched with the first equal one of ours within the window.
  init(_ kind: FidelityClass, logged: [EngineAct], replayed: [EngineAct]) {
    self.kind = kind
    var rest = replayed.filter { $0.kind == kind }
    for act in logged where act.kind == kind {
      let index = rest.firstIndex {
        $0.what == act.what
          && abs($0.time.milliseconds(since: act.time)) <= Agreement.windowMilliseconds
      }
      if let index {
        rest.remove(at: index)
        matched += 1
      } else {
        missing.append(act)
      }
    }
    extra = rest
  }

  /// The share of matched acts; nil when there are none on either side.
  package var share: Double? {
    let all = matched + missing.count + extra.count
    return all == 0 ? nil : Double(matched) / Double(all)
  }
}
