package import Contract

/// One position, asked for by the app (SDK §13.3). The defaults are those of `getCurrentPosition`.
package struct PositionRequest: Equatable, Sendable {
  /// Comes back with `Effect.completed`; nil when nobody waits for the answer.
  package var id: Int?
  package var timeoutSeconds = 10.0
  package var desiredAccuracyMetres = 5.0
  /// 0: the position must be newer than the request.
  package var maximumAgeMilliseconds = 0.0
  package var samples = 3
  /// A position that is too old or too coarse is better than none when the time is up.
  package var allowStale = true
  /// Nil: as the persist mode says, while tracking is enabled.
  package var persist: Bool?
  /// Go into this record only.
  package var extras = RenderedObject.empty
  package var label = "getCurrentPosition"

  package init(id: Int?) { self.id = id }

  /// The defaults of `setOdometer` and `resetOdometer`.
  package static func odometer(id: Int?) -> PositionRequest {
    var request = PositionRequest(id: id)
    request.maximumAgeMilliseconds = 5_000
    request.persist = true
    request.label = "TSLocationManager.setOdometer"
    return request
  }
}
