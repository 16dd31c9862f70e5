package import Base

/// What a backend promises beyond the clauses that hold for all.
package struct DialectPromises: Equatable, Sendable {
  /// Nil: it is tried out.
  package var tokens: TokenPromise?
  /// Nil: unknown.
  package var accessLifetime: Nanoseconds?
  /// So long after its end a token may be taken: clocks differ.
  package var accessLeeway = Nanoseconds.seconds(5)
  /// The device is known by its token alone.
  package var isNamedByToken = false
  /// What is kept of a record, beside identity, time and place. Nil: what the store shows of one record is expected of all.
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
  /// Records older than this may be dropped.
  package var oldest = Nanoseconds.seconds(3_650 * 86_400)

  package init() {}
}

/// Who may upload.
package enum TokenPromise: String, CaseIterable, Sendable {
  /// No upload is refused for its token.
  case none
  /// A token that is shown is checked.
  case optional
  case required
}

/// What a backend may keep of a record, under the names of the record.
package enum KeptField: String, CaseIterable, Sendable {
  case event, geofence, provider, extras, params, activity, battery, odometer, speed, heading, altitude, accuracy
  case isMoving = "is_moving"
  case unknown

  /// By the proof of a run; the others only by the clauses of `conform`.
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
      .key("templates", \.takesTemplates, .boolean, "Records of a template may be objects of other keys, or arrays."),
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
    ])
}
