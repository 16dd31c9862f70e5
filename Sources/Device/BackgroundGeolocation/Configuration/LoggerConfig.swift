import Contract

/// What the log keeps.
public final class LoggerConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// On phones: sounds and notifications at each event. Here it is kept and does nothing.
  public var debug: Bool {
    get { box.value.logger.debug }
    set { box.edit { $0.logger.debug = newValue } }
  }

  /// The least important lines that are kept; `.off` by default.
  public var logLevel: LogLevel {
    get { LogLevel(box.value.logger.logLevel) }
    set { box.edit { $0.logger.logLevel = newValue.contract } }
  }

  /// Days after which lines are deleted, at the next launch; 3 by default.
  public var logMaxDays: Int {
    get { box.value.logger.logMaxDays }
    set { box.edit { $0.logger.logMaxDays = newValue } }
  }
}
