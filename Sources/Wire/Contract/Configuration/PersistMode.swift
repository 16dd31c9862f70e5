/// Which records go into the queue.
package enum PersistMode: Int, CaseIterable, Sendable {
  case geofence = -1
  case none = 0
  case location = 1
  case all = 2
}
