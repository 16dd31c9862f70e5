package import BackendStore

/// Reads a view in one session, which begins with the first list.
package final class KeptSession: RecordSource {
  private let view: any StoreView
  private var session: (any StoreSession)?

  package init(_ view: any StoreView) { self.view = view }

  package var place: String { view.place }
  package var isOfAllDevices: Bool { view.isOfAllDevices }
  package var isInArrivalOrder: Bool { view.isInArrivalOrder }

  package func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    let session: any StoreSession
    if let kept = self.session { session = kept } else { session = try view.session() }
    // A session that has failed is not reused.
    self.session = nil
    let end = try session.read(device, take)
    self.session = session
    return end
  }
}
