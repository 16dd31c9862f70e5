internal import CSQLite

/// A prepared statement. It keeps its connection open, and is run by `start`, as often as wanted but once at a time.
///
/// Keep statements in a noncopyable struct and pass them `inout` to the function that runs them: for a property of a class,
/// or of a `self` that a closure captured, the compiler cannot see that the execution ends before the access does.
@safe
package struct Statement: ~Copyable {
  private let handle: ConnectionHandle
  private let statement: OpaquePointer
  /// A bit for each parameter.
  private let parameters: UInt64

  init(_ sql: String, on handle: ConnectionHandle) throws(DatabaseError) {
    self.handle = handle
    var prepared: OpaquePointer?
    var isSingle = true
    var text = sql
    let result = text.withUTF8 { utf8 in
      unsafe utf8.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let result = unsafe sqlite3_prepare_v3(
          handle.database, characters.baseAddress, Int32(characters.count), UInt32(SQLITE_PREPARE_PERSISTENT),
          &prepared, &tail)
        if let start = characters.baseAddress, let tail = unsafe tail {
          let rest = unsafe characters[(tail - start)...]
          isSingle = unsafe rest.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        }
        return result
      }
    }
    try handle.check(result, sql: sql)
    guard let prepared = unsafe prepared, isSingle else { preconditionFailure("not exactly one statement: \(sql)") }
    unsafe statement = prepared
    let parameterCount = unsafe sqlite3_bind_parameter_count(prepared)
    precondition(parameterCount <= UInt64.bitWidth, "at most 64 parameters: \(sql)")
    parameters = parameterCount == 0 ? 0 : .max >> UInt64(UInt64.bitWidth - Int(parameterCount))
  }

  // The result repeats the error of the last step, which was thrown already.
  deinit { _ = unsafe sqlite3_finalize(statement) }

  /// Begins a run. Bind every parameter, then step or run; the statement is reset at the end of the execution's life, also
  /// after an error.
  @_lifetime(&self)
  package mutating func start() -> Execution {
    unsafe Execution(statement, on: handle.database, unbound: parameters)
  }
}
