import Base
package import DeviceLog

/// How well our engine does what a real one did, given the same inputs.
package struct FidelityReport: Equatable, Sendable {
  /// One for each class, in their order.
  package let agreements: [Agreement]
  package let loggedMetres: Double
  package let replayedMetres: Double
  /// False when the log shows no configuration, so that the defaults were assumed.
  package let isConfigured: Bool

  package init(_ log: LogReader) {
    let beginning = Beginning(log)
    let logged = LoggedCourse(log.facts, isMovingAtFirst: beginning.isMoving)
    let replayed = Replay(log.facts, beginning: beginning).course
    agreements = FidelityClass.allCases.map {
      Agreement($0, logged: logged.happenings, replayed: replayed.happenings)
    }
    loggedMetres = logged.metres
    replayedMetres = replayed.metres
    isConfigured = beginning.isConfigured
  }

  package subscript(_ kind: FidelityClass) -> Agreement? { agreements.first { $0.kind == kind } }

  /// By how much the odometers differ, as a share of the real one's way; 0 when nobody went anywhere.
  package var odometerError: Double {
    loggedMetres > 0 ? abs(replayedMetres - loggedMetres) / loggedMetres : replayedMetres > 0 ? 1 : 0
  }
}
