/// Between which two steps the app dies.
package enum CrashMoment: String, CaseIterable, Sendable {
  case beforeInsertCommits = "before-insert-commits"
  case betweenSendAndAnswer = "between-send-and-answer"
  case betweenAnswerAndDelete = "between-2xx-and-delete"
}
