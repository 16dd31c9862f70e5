import Contract
public import FoundationEssentials

/// Settings of the destination and the form of uploads.
public final class HttpConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// The URL of uploads: http or https with a host. Empty: nothing is uploaded. Any other value is refused with a
  /// warning in the log when an upload begins, and records wait.
  public var url: String {
    get { box.value.http.url }
    set { box.edit { $0.http.url = newValue } }
  }

  /// Default `.post`.
  public var method: HttpMethod {
    get { HttpMethod(box.value.http.method) }
    set { box.edit { $0.http.method = newValue.contract } }
  }

  /// The key that wraps the records, `location` by default; `.` for none.
  public var rootProperty: String {
    get { box.value.http.rootProperty }
    set { box.edit { $0.http.rootProperty = newValue } }
  }

  /// Sent with uploads and token requests. A value that JSON cannot represent is refused with a warning in the log; the
  /// old headers remain.
  public var headers: [String: Any] {
    get { box.value.http.headers.dictionary }
    set { box.set("http.headers", newValue) { $0.http.headers = $1 } }
  }

  /// Added to every body beside the records, with their values at the time of sending. A value that JSON cannot
  /// represent is refused with a warning in the log; the old params remain.
  public var params: [String: Any] {
    get { box.value.http.params.dictionary }
    set { box.set("http.params", newValue) { $0.http.params = $1 } }
  }

  /// The timeout of a request in milliseconds; 60 000 by default.
  public var timeout: Int {
    get { Int(nearest: box.value.http.timeoutMilliseconds) }
    set { box.edit { $0.http.timeoutMilliseconds = Double(newValue) } }
  }

  /// Whether records are uploaded automatically; `true` by default. Otherwise call `DataStore.sync`.
  public var autoSync: Bool {
    get { box.value.http.autoSync }
    set { box.edit { $0.http.autoSync = newValue } }
  }

  /// The number of records for which an automatic upload waits; 0, the default, for none. Motion changes do not wait.
  public var autoSyncThreshold: Int {
    get { box.value.http.autoSyncThreshold }
    set { box.edit { $0.http.autoSyncThreshold = newValue } }
  }

  /// Whether all queued records are sent in one request; `false` by default.
  public var batchSync: Bool {
    get { box.value.http.batchSync }
    set { box.edit { $0.http.batchSync = newValue } }
  }

  /// The maximum number of records in one request of `batchSync`; -1, the default, for no limit.
  public var maxBatchSize: Int {
    get { box.value.http.maxBatchSize }
    set { box.edit { $0.http.maxBatchSize = newValue } }
  }

  /// Whether automatic uploads wait for Wi-Fi; `false` by default. `DataStore.sync` does not.
  public var disableAutoSyncOnCellular: Bool {
    get { box.value.http.disableAutoSyncOnCellular }
    set { box.edit { $0.http.disableAutoSyncOnCellular = newValue } }
  }
}

/// The token of uploads, and its refresh when a server answers 401 or the token has expired.
public final class AuthorizationConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Default `.jwt`.
  public var strategy: AuthorizationStrategy {
    get { AuthorizationStrategy(box.value.authorization.strategy) }
    set { box.edit { $0.authorization.strategy = newValue.contract } }
  }

  /// Nil: uploads carry no `Authorization`. Otherwise it overrides a configured header of that name.
  public var accessToken: String? {
    get { box.value.authorization.accessToken }
    set { box.edit { $0.authorization.accessToken = newValue } }
  }

  /// The value for `{refreshToken}` in `refreshPayload`.
  public var refreshToken: String? {
    get { box.value.authorization.refreshToken }
    set { box.edit { $0.authorization.refreshToken = newValue } }
  }

  /// The URL of token requests; nil: a 401 is a failure like any other.
  public var refreshUrl: String? {
    get { box.value.authorization.refreshUrl }
    set { box.edit { $0.authorization.refreshUrl = newValue } }
  }

  /// The fields of token requests. One value must contain `{refreshToken}`; otherwise a warning is logged.
  public var refreshPayload: [String: Any] {
    get { box.value.authorization.refreshPayload.dictionary }
    set { box.set("authorization.refreshPayload", newValue) { $0.authorization.refreshPayload = $1 } }
  }

  /// The headers of token requests; `{accessToken}` stands for the token.
  public var refreshHeaders: [String: Any] {
    get { box.value.authorization.refreshHeaders.dictionary }
    set { box.set("authorization.refreshHeaders", newValue) { $0.authorization.refreshHeaders = $1 } }
  }

  /// The expiry of the token: up to 10⁹ seconds from now, then seconds since 1970, beyond 10¹² milliseconds since 1970;
  /// 0 or less for never.
  public var expires: TimeInterval {
    get { box.value.authorization.expires }
    set { box.edit { $0.authorization.expires = newValue } }
  }
}
