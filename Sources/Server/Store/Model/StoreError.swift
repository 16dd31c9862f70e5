/// Why a store could not be opened or asked.
package struct StoreError: Error, Equatable, CustomStringConvertible {
  /// What a caller can act upon.
  package enum Code: String, Sendable {
    case folderNotUsable, folderInUse, newerVersion, foreignFile, full, inputOutput, damaged, badCursor
  }

  package let code: Code
  /// A sentence with the path concerned and what to do about it.
  package let message: String

  package var description: String { message }
}
