/// A value in an immutable box that copies share until one of them is given another value. A simulator holds ten
/// thousand configurations that differ in little more than their tokens.
@propertyWrapper
package struct Shared<Value: Equatable & Sendable>: Equatable, Sendable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  package init(wrappedValue: Value) { box = Box(wrappedValue) }

  /// Setting an equal value keeps the box, so that what changes nothing separates nobody.
  package var wrappedValue: Value {
    get { box.value }
    set { if newValue != box.value { box = Box(newValue) } }
  }

  package static func == (left: Shared, right: Shared) -> Bool {
    left.box === right.box || left.box.value == right.box.value
  }
}
