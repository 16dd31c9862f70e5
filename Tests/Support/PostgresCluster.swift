import Glibc
import Synchronization

/// A PostgreSQL server of the tests' own, in a scratch folder and behind a socket there. A shell watches over it: when this process
/// ends, however it ends, the server is stopped and the folder deleted.
package final class PostgresCluster: Sendable {
  private static let binaries: String? = {
    for version in stride(from: 20, through: 14, by: -1) {
      let folder = "/usr/lib/postgresql/\(version)/bin"
      if unsafe access(folder + "/initdb", X_OK) == 0 { return folder }
    }
    return nil
  }()

  /// Its server is not there: install the package postgresql.
  package static var isThere: Bool { binaries != nil }

  /// One for all tests that leave it running.
  package static let shared = Result { try PostgresCluster() }

  private static let schemas = Atomic(0)

  /// Each schema is a hundred files and more: in memory, tests take a third less processor time. Nil where there is too little of it.
  private static var memory: String? {
    var space = statvfs()
    guard unsafe statvfs("/dev/shm", &space) == 0, space.f_bavail * space.f_frsize > 1 << 30 else { return nil }
    return "/dev/shm"
  }

  /// The server refuses root; PostgreSQL's own user is there where its package is.
  private static let script = """
    folder=$1 bin=$2; shift 2
    if [ "$(id -u)" -eq 0 ]; then chown postgres "$folder"; as() { runuser -u postgres -- "$@"; }; else as() { "$@"; }; fi
    cd "$folder"
    as "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N --no-instructions >init.log 2>&1 || { cat init.log; exit 1; }
    { printf '%s\\n' "listen_addresses = ''" "unix_socket_directories = '$folder'" "fsync = off" "dynamic_shared_memory_type = mmap" "autovacuum = off" "max_connections = 100" "shared_buffers = 32MB" "log_min_messages = panic" "$@"; } >>data/postgresql.conf
    run() { as "$bin/pg_ctl" -D data -w -t 60 -s -l log "$@"; }
    run start && echo ready
    while read -r command; do
      case $command in
        start) until run start; do :; done;;
        kill) read -r pid <data/postmaster.pid; kill -9 "$pid";;
        *) run $command;;
      esac
      echo "$command: done"
    done
    run stop -m immediate
    cd /; rm -rf "$folder"
    """

  private let folder: TemporaryFolder
  private let shell: Mutex<SpokenChild>
  private let commands: Int32

  /// `settings` are lines of postgresql.conf.
  package init(settings: [String] = []) throws {
    guard let binaries = PostgresCluster.binaries else { throw ChildProcess.Failure("PostgreSQL is not installed") }
    folder = try TemporaryFolder(in: PostgresCluster.memory)
    let (read, write) = try ChildProcess.pipe()
    defer { _ = close(read) }
    commands = write
    let child = try SpokenChild(
      ["/bin/sh", "-c", PostgresCluster.script, "sh", folder.path, binaries] + settings, input: read)
    try child.waitForNext(line: "ready")
    shell = Mutex(child)
  }

  deinit { _ = close(commands) }

  /// A place with an empty schema of its own.
  package func place() -> String {
    let number = PostgresCluster.schemas.add(1, ordering: .relaxed).newValue
    return "postgresql:///postgres?host=\(folder.path)&user=postgres&options=-csearch_path%3Dtest_\(number)"
  }

  package func start() throws { try tell("start") }
  package func stop() throws { try tell("stop -m immediate") }
  package func reload() throws { try tell("reload") }
  /// SIGKILL to the server's first process; the others end when they notice.
  package func kill() throws { try tell("kill") }

  private func tell(_ command: String) throws {
    try shell.withLock { shell in
      let line = Array("\(command)\n".utf8)
      guard unsafe write(commands, line, line.count) == line.count else {
        throw ChildProcess.Failure("the shell has ended")
      }
      try shell.waitForNext(line: "\(command): done")
    }
  }
}
