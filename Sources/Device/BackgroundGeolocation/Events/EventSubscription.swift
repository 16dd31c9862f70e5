import Synchronization

/// Keeps a listener listening. It ends with `remove`, with `BGGeo.removeListeners`, and when the last reference to the
/// subscription goes away: keep it in a property, or in a set by `store(in:)`.
public final class EventSubscription: Hashable, Sendable {
  private let cancellation: Mutex<(@Sendable () -> Void)?>

  init(_ cancel: @escaping @Sendable () -> Void) { cancellation = Mutex(cancel) }

  deinit { remove() }

  /// No call begins after this returns; one that has begun goes on. Once more has no effect.
  public func remove() {
    let cancel = cancellation.withLock { cancellation in
      defer { cancellation = nil }
      return cancellation
    }
    cancel?()
  }

  /// Puts the subscription into a set, whose life it then shares.
  public func store(in subscriptions: inout Set<EventSubscription>) { subscriptions.insert(self) }

  /// The same subscription.
  public static func == (left: EventSubscription, right: EventSubscription) -> Bool { left === right }

  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
