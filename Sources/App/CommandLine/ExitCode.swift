/// What the process says to the shell when it ends.
public enum ExitCode: Int32, Sendable {
  /// The command did what it was asked.
  case ok = 0
  /// The command was understood and failed.
  case runtimeFailure = 1
  /// The command line was not understood; nothing was done.
  case usage = 2
  /// The figures of the run mean nothing; it says nothing of the server.
  case runInvalid = 97
  /// Something happened that must never happen, or two runs of a seed were not the same.
  case invariantViolated = 98
  /// A threshold was missed.
  case thresholdFailed = 99
  /// The scenario has mistakes, or asks for what this version cannot do.
  case badScenario = 104
  /// Stopped by a signal before the work was done.
  case stoppedBySignal = 105
  /// The address to listen on is not to be had.
  case cannotBind = 106
  /// What must come up for a green result to mean something has not.
  case coverageMissed = 110
}
