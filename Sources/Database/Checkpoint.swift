/// What a checkpoint found, in pages; both are 0 without a write-ahead log, and after `truncate`.
package struct Checkpoint {
  package let pagesInLog: Int
  package let pagesMoved: Int
}
