import Glibc

/// The environment of the process.
package enum EnvironmentVariable {
  package static func value(of name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
