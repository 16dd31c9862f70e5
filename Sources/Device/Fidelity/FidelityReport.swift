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
