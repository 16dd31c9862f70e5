import Engine
import JSON
import Upload

/// Memory that all hosts of a thread work in, one after the other, so that an idle one holds none.
package final class HostScratch {
  private var engineEffects: [[Effect]] = []
  private var uploadEffects: [[UploadEffect]] = []
  var record: [UInt8] = []
  var state = JSONWriter(capacity: 256)

  package init() {}

  /// An empty list, to be given back. Commands make an engine work while the effects of an upload are still open, so
  /// that there may be several.
  func takeEngineEffects() -> [Effect] { engineEffects.popLast() ?? [] }
  func takeUploadEffects() -> [UploadEffect] { uploadEffects.popLast() ?? [] }

  func giveBack(_ effects: consuming [Effect]) {
    effects.removeAll(keepingCapacity: true)
    engineEffects.append(effects)
  }

  func giveBack(_ effects: consuming [UploadEffect]) {
    effects.removeAll(keepingCapacity: true)
    uploadEffects.append(effects)
  }
}
