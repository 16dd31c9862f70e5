import Contract
import DeviceLog
import Vocabulary

/// How the device was when its log begins, as far as the log betrays it.
struct Beginning {
  private(set) var configuration: Configuration
  /// The log has a dump of the configuration; it counts from the first line on, wherever it stands.
  private(set) var isConfigured = false
  private(set) var isEnabled = false
  private(set) var isMoving = false
  /// Metres per second, with which the distance filter becomes what the log first finds it to be.
  private(set) var speed = 0.0
  let fix: Fix?

  init(_ log: LogReader) {
    configuration = Configuration(platform: log.platform)
    fix = LoggedFences.firstFix(in: log.facts)
    for case .configuration(let document) in log.facts.lazy.map(\.content) {
      _ = configuration.apply(document)
      isConfigured = true
      break
    }
    _ = configuration.edit { $0.logger.logLevel = .verbose }
    // The state is none of the configuration; a start begins at rest unless the app says otherwise.
    configuration.isMoving = false
    findState(log.facts)
    findSpeed(log.facts)
  }

  private mutating func findSpeed(_ facts: [LogFact]) {
    let settings = configuration.geolocation
    let step = settings.distanceFilterMetres * settings.elasticityMultiplier
    for case .tracking(_, _, let effective) in facts.lazy.map(\.content) {
      if step > 0 { speed = 5 * max(0, effective - settings.distanceFilterMetres) / step }
      return
    }
  }

  /// The first line that takes tracking for granted tells.
  private mutating func findState(_ facts: [LogFact]) {
    for fact in facts {
      switch fact.content {
      case .launched, .started: return
      case .paceChange(let becomesMoving):
        (isEnabled, isMoving) = (true, !becomesMoving)
        return
      case .tracking(let isEnabled, let isMoving, _):
        (self.isEnabled, self.isMoving) = (isEnabled, isMoving)
        return
      case .stopDetectionIgnored, .stopTimeoutEngaged:
        (isEnabled, isMoving) = (true, true)
        return
      default: continue
      }
    }
  }
}
