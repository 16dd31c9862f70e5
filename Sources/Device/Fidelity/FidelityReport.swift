import Base
package import DeviceLog
import Engine

/// How well our engine does what a real one did, given the same inputs.
package struct FidelityReport: Equatable, Sendable {
  /// One for each class, in their order.
  package let agreements: [Agreement]
  package let loggedMetres: Double
  package let replayedMetres: Double
  /// False when the log shows no configuration, so that the defaults were assumed.
  package let isConfigured: Bool

  /// With `isAsObserved` the engine has the habits of real devices that no document tells of (`EngineQuirks`).
  package init(_ log: LogReader, isAsObserved: Bool = true) {
    let beginning = Beginning(log)
    let quirks = isAsObserved ? EngineQuirks.all : EngineQuirks()
    let logged = LoggedCourse(log.facts, isMovingAtFirst: beginning.isMoving)
    let replayed = Replay(log.facts, beginning: beginning, quirks: quirks).course
    agreements = FidelityClass.allCases.map {
      Agreement($0, logged: logged.happenings, replayed: replayed.happenings)
    }
    loggedMetres = logged.metres
    replayedMetres = replayed.metres
    isConfigured = beginning.isConfigured
  }

  package subscript(_ kind: FidelityClass) -> Agreement {
    guard let agreement = agreements.first(where: { $0.kind == kind }) else {
      preconditionFailure("a report has every class")
    }
    return agreement
  }

  /// By how much the odometers differ, as a share of the longer way; nil when nobody went anywhere.
  package var odometerError: Double? {
    let longer = max(loggedMetres, replayedMetres)
    return longer > 0 ? abs(replayedMetres - loggedMetres) / longer : nil
  }
}
