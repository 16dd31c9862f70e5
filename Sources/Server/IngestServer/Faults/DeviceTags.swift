import Base
import Store
import Synchronization

/// The tags of the devices, for those who cannot wait for the store: a fault is decided the moment a head is there. Filled
/// from the store before the first group, and changed with every commit that changes a tag.
final class DeviceTags: Sendable {
  /// By run and by name. Devices without tags are not in it.
  private let tags = Mutex<[String: [String: [String]]]>([:])

  /// What the store holds when it is opened.
  func load(from reader: StoreReader) throws(StoreError) {
    for (device, tag) in try reader.tags() {
      tags.withLock { $0[device.run, default: [:]][device.name, default: []].append(tag) }
    }
  }

  func tags(of device: DeviceIdentity) -> [String] { tags.withLock { $0[device.run]?[device.name] ?? [] } }

  /// A group is on disk; on the writer's thread, in the order of the groups.
  func note(_ group: [StoreJob], _ results: [StoreResult]) {
    for (job, result) in zip(group, results) {
      switch job {
      case .setTags(let device, let list): if case .changed = result { set(list, device) }
      case .delete(let device): if case .changed = result { set([], device) }
      case .reset(let run): if case .changed = result { forget(run) }
      case .ingest, .order, .takeCommands, .markDelivered, .returnCommands, .beginFamily, .rotate, .checkToken,
        .revokeTokens, .expireTokens, .keepLog, .clearQuarantine, .read:
        break
      }
    }
  }

  private func set(_ list: [String], _ device: DeviceIdentity) {
    tags.withLock { $0[device.run, default: [:]][device.name] = list.isEmpty ? nil : list }
  }

  private func forget(_ run: String?) {
    tags.withLock { tags in if let run { tags[run] = nil } else { tags = [:] } }
  }
}
