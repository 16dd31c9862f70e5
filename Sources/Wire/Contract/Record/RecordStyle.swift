/// In what the records of two platforms differ, each difference a choice of its own, so that a scenario can mix them.
package struct RecordStyle: Equatable, Sendable {
  /// The letters of `uuid`.
  package enum LetterCase: Sendable { case upper, lower }
  /// What becomes of `extras` without members.
  package enum EmptyExtras: Sendable { case omitted, emptyObject }
  /// What `altitude` counts from. On Android it equals `ellipsoidal_altitude`.
  package enum AltitudeReference: Sendable { case sea, ellipsoid }
  /// What `altitude` says when the device could not tell: it has no -1, which is a valid altitude.
  package enum MissingAltitude: Sendable { case omitted, zero }
  /// The spelling and the extent of `timestampMeta`.
  package enum MetaKeys: Sendable { case iOS, android }
  /// Whether the last element of an array template says `isMock` of a mock location.
  package enum ArrayTemplateMock: Sendable { case absent, appended }

  package var uuidCase: LetterCase
  package var emptyExtras: EmptyExtras
  package var altitudeReference: AltitudeReference
  package var missingAltitude: MissingAltitude
  package var metaKeys: MetaKeys
  package var arrayTemplateMock: ArrayTemplateMock
  package var timestampFormat = TimestampFormat.iso

  package static let iOS = RecordStyle(
    uuidCase: .upper, emptyExtras: .omitted, altitudeReference: .sea, missingAltitude: .zero, metaKeys: .iOS,
    arrayTemplateMock: .absent)

  package static let android = RecordStyle(
    uuidCase: .lower, emptyExtras: .emptyObject, altitudeReference: .ellipsoid, missingAltitude: .omitted,
    metaKeys: .android, arrayTemplateMock: .appended)
}
