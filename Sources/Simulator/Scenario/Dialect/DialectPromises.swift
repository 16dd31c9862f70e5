package import Base

/// The promises of a backend beyond the clauses that apply to all.
package struct DialectPromises: Equatable, Sendable {
  /// Nil: found out by trial.
  package var tokens: TokenPromise?
  /// Nil: unknown.
  package var accessLifetime: Nanoseconds?
  /// How long a token may be accepted after its expiry, because clocks differ.
  package var accessLeeway = Nanoseconds.seconds(5)
  /// Whether the device is identified by its token alone.
  package var isNamedByToken = false
  /// The parts of a record that are kept, beside identity, time and place. Nil: those that the store shows of one record
  /// are expected of all.
  package var kept: [KeptField]?
  package var roots: [String] = []
  package var methods: [String] = []
  package var takesEpoch = false
  package var takesTemplates = false
  package var takesGzip = false
  package var takesBareRecords = false
  package var takesJSONRefresh = false
  package var refusesBadRecords = false
  package var keepsUnreadableBodies = false
  /// Older records may be dropped.
  package var oldest = Nanoseconds.seconds(3_650 * 86_400)
  /// Records that are further in the future may be dropped; nil: no limit.
  package var newest: Nanoseconds?

  package init() {}
}

/// The authorization of uploads.
package enum TokenPromise: String, CaseIterable, Sendable {
  /// No upload is rejected because of its token.
  case none
  /// A token is checked if one is sent.
  case optional
  case required
}

/// The parts of a record that a backend may keep, under the names of the record.
package enum KeptField: String, CaseIterable, Sendable {
  case event, geofence, provider, extras, params, activity, battery, odometer, speed, heading, altitude, accuracy
  case isMoving = "is_moving"
  case unknown

  /// Whether the proof of a run compares it; the others are tested by the clauses of `conform` only.
  var isCompared: Bool { ![.params, .provider, .unknown].contains(self) }
}

extension DialectPromises: ScenarioSection {
  static let table = Table<DialectPromises>(
    "promises",
    "What a backend promises beyond the clauses that hold for all. A clause about what is not promised does not apply.",
    [
      .optional("tokens", \.tokens, .choice, "Whether uploads need an access token; by default, `conform` finds out."),
      .optional(
        "accessTokenTtl", \.accessLifetime, .duration,
        "Lifetime of access tokens; a clause waits for its end up to 10 s."),
      .key(
        "accessTokenLeeway", \.accessLeeway, .duration,
        "How long after its end an access token may be taken, as clocks differ."),
      .key("deviceByToken", \.isNamedByToken, .boolean, "Only the access token names the device."),
      .optional(
        "keeps", \.kept, .list(of: .choice),
        "What is kept of a record beside uuid, time and place; by default, the fields found in the first record."
      ),
      .key(
        "roots", \.roots, .list(of: .text), "Further values of `http.rootProperty` that are understood; \".\" for none."
      ),
      .key("methods", \.methods, .list(of: .text), "Further methods of uploads: PUT, PATCH."),
      .key("epoch", \.takesEpoch, .boolean, "`timestamp` may be a number of milliseconds."),
      .key(
        "templates", \.takesTemplates, .boolean,
        "Records of any template are stored: objects of other keys, or arrays. Not for a backend of one template."),
      .key("gzip", \.takesGzip, .boolean, "Bodies may be compressed with gzip."),
      .key("bareRecords", \.takesBareRecords, .boolean, "`[R1,R2]` and a bare record are understood without a root."),
      .key("jsonRefresh", \.takesJSONRefresh, .boolean, "A refresh may be a JSON object."),
      .key("refusesBadRecords", \.refusesBadRecords, .boolean, "A record without coordinates is refused on purpose."),
      .key(
        "keepsUnreadable", \.keepsUnreadableBodies, .boolean,
        "A body that is not JSON is quarantined, and acknowledged."),
      .key(
        "oldest", \.oldest, .duration,
        "Records that are older may be dropped; a younger one that is acknowledged is stored."),
      .optional(
        "newest", \.newest, .duration,
        "Records that are further in the future may be dropped; a nearer one that is acknowledged is stored."),
    ])
}
