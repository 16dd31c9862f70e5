/// The part of the SDK that a warning or an error without a form of its own comes from.
package enum LogPart: String, CaseIterable, Sendable {
  case sdk, configuration, launch, tracking, pace, schedule, geofences, backgroundTasks, records, http, authorization
  case logger
}
