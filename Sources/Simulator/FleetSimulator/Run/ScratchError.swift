package import Store

/// The in-process server of a run could not store a batch: nothing that follows says anything of phones or servers.
package struct ScratchError: Error, Equatable, CustomStringConvertible {
  package let outage: StoreOutage

  package var description: String {
    let what = outage == .full ? "has no room" : "cannot be written"
    return "the temporary database of the run \(what), and the run is not valid; "
      + "free space in the folder for temporary files, or name another one by SQLITE_TMPDIR"
  }
}
