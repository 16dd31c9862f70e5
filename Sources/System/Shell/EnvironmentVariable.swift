import Glibc

/// What a process was given by name.
package enum EnvironmentVariable {
  package static func value(of name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
