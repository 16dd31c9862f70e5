package import Contract
package import Vocabulary

/// A fence was entered, left or dwelt in, and its status is changed.
package struct GeofenceTransition: Equatable, Sendable {
  /// With the status after the transition, which is to be saved.
  package let geofence: Geofence
  package let action: GeofenceTrigger.Action
  /// Of the crossing, not of the fix that is asked for next (SDK §15.3).
  package let moment: Moment
  /// False when the fence does not want to be told of: no event and no record, but the status is changed all the same.
  package let isNotified: Bool
  /// An enter that the system missed and the way of the device proves.
  package let isSynthesised: Bool
  package let recordKind: RecordKind
}
