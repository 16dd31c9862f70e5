/// When a transaction takes its lock, https://sqlite.org/lang_transaction.html
package enum TransactionMode: String {
  /// With the first statement that needs one. For reading; a later upgrade to writing can fail at once with `.busy`.
  case deferred
  /// Before the body runs: whoever writes waits here, once, and not in the middle.
  case immediate
}
