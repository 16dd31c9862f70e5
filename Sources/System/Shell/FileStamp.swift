internal import Glibc

/// A stamp that changes with the content of a file.
package struct FileStamp: Equatable, Sendable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let written: FileTime
  /// The time of the last status change, which is updated even when the modification time is set back, or only the mode changes
  /// (inode(7)).
  private let changed: FileTime

  private struct FileTime: Equatable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
  }

  /// When the file was written, in seconds since 1970; nil when there is no such file.
  package var writtenSeconds: Int? { inode == 0 ? nil : written.seconds }

  /// All zero when there is no such file.
  package init(_ path: String) {
    var status = stat()
    if unsafe stat(path, &status) != 0 { status = stat() }
    (device, inode, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
    (written, changed) = (FileTime(status.st_mtim), FileTime(status.st_ctim))
  }
}
