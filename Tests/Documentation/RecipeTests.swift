import FoundationEssentials
import Support
import Testing

/// The README's recipes, one for each kind of user: its own commands, and what somebody does who follows them.
@Suite(.timeLimit(.minutes(10))) struct RecipeTests {
  /// The command of the README with this beginning.
  private func command(_ beginning: String) throws -> String {
    try #require(Document.all.first?.commands.first { $0.hasPrefix(beginning) })
  }

  /// With the executable where the page has the image; `loadtest/container/run` does it with the image.
  @Test func aBackendOfAnIntegrationTest() async throws {
    let reader = try Reader()
    let begun = "curl -sS --fail-with-body "
    let forgetting = try command(begun + "-X POST http://127.0.0.1:8080/admin/v1/reset")
      .replacing("http://127.0.0.1:8080", with: "$url")
    let waiting = try command(begun + "http://127.0.0.1:8080/admin/v1/await")
      .replacing("http://127.0.0.1:8080", with: "$url")
    let outcome = await reader.type(
      """
      export ROLLINGROAD_LISTEN=127.0.0.1:0 ROLLINGROAD_DATA=$PWD/backend ROLLINGROAD_ADMIN_TOKEN=road
      coproc server { exec rollingroad serve; }
      pid=$server_PID
      read -r _ url <&"${server[0]}"
      token='Authorization: Bearer road'
      upload() { curl -s "$url$1/locations" -H 'X-Device-Id: phone-1' -d '{"lat":1,"lng":'$2'}' && echo " $1 $2"; }
      for n in {1..10}; do upload '' $n; done
      \(forgetting)
      \(waiting.replacing("30s", with: "1ms")) >/dev/null || echo "the second test has to wait: $?"
      \(waiting) >waited & waited=$!
      for n in {1..10}; do upload '' $n; done
      wait $waited; cat waited
      curl -s "$url/admin/v1/stats" && echo "open to everybody"
      curl -s -X PUT "$url/admin/v1/faults" -H "$token" -d '{"faults":[{"id":"a","fault":{"kind":"status","status":503},"match":{"run":""}}]}'
      upload '' 11 || echo "misbehaves"
      upload /r/other 1
      kill -TERM "$pid"; wait "$pid"; echo "ended well"
      """)
    #expect(outcome.exitCode == 0, "\(outcome.output)")
    for words in ["the second test has to wait: 22", #""count":10"#, "misbehaves", "/r/other 1", "ended well"] {
      #expect(outcome.output.contains(words), "\(words) is not in \(outcome.output)")
    }
    #expect(!outcome.output.contains("open to everybody"))
  }

  @Test func aLoadTestOfYourBackend() async throws {
    let reader = try Reader()
    let outcome = await reader.type(try command("rollingroad simulate city-25"))
    #expect(outcome.exitCode == 0, "\(outcome.output)")
    for (file, words) in [("report.html", "</html>"), ("junit.xml", "<testcase "), ("summary.json", #""hash""#)] {
      let text = try String(contentsOfFile: "\(reader.folder)/out/\(file)", encoding: .utf8)
      #expect(text.contains(words), "\(file)")
    }
    let stored = await reader.type("curl -s http://127.0.0.1:8080/metrics")
    #expect(!stored.output.contains("\nrollingroad_store_records 0\n") && stored.exitCode == 0)
  }

  @Test func aPhoneOnYourDesk() async throws {
    let reader = try Reader()
    let driving = try command("rollingroad drive")
    let outcome = await reader.type("echo 'd 60s s drain' | \(driving) --factor 60")
    #expect(outcome.exitCode == 0, "\(outcome.output)")
    #expect(outcome.output.contains("POST") && outcome.output.contains(" 200"), "\(outcome.output)")
    #expect(!outcome.output.contains("nobody listens"))
  }

  /// With three executables where the page has containers; `loadtest/scale/run` does it with HAProxy and a standby.
  @Test(.enabled(if: PostgresCluster.isThere, "install the package postgresql"))
  func whenOneMachineIsNotEnough() async throws {
    let recipe = try command("docker compose -f docker/scale/compose.yaml up")
    #expect(recipe.contains("--wait"))
    let place = try PostgresCluster.shared.get().place()
    let reader = try Reader()
    let outcome = await reader.type(
      """
      trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT
      export ROLLINGROAD_LISTEN=127.0.0.1:0 ROLLINGROAD_DATA='\(place)'
      mkfifo one two three
      node() { command rollingroad serve >$1 2>$1.log & pid=$!; read -r _ url <$1; }
      upload() { curl -s "$1/locations" -H 'Content-Type: application/json' -d '{"location":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C330'$2'","coords":{"latitude":1,"longitude":2}},"device_id":"phone-1"}'; }
      node one; first=$url first_pid=$pid
      node two; second=$url second_pid=$pid
      node three; third=$url third_pid=$pid
      upload $first 1
      curl -s $third/admin/v1/await -d '{"device":"phone-1","exactly":3,"timeout":"60s"}' >waited & waiting=$!
      kill -9 $first_pid; wait $first_pid || echo " killed: $?"
      echo "again: $(upload $second 1)"
      upload $second 2; upload $third 3
      wait $waiting; cat waited
      kill -TERM $second_pid $third_pid; wait $second_pid; wait $third_pid; echo " ended well"
      """)
    #expect(outcome.exitCode == 0, "\(outcome.output)")
    for words in [" killed: 137", #"again: {"accepted":0,"duplicate":1"#, #""stored":3"#, " ended well"] {
      #expect(outcome.output.contains(words), "\(words) is not in \(outcome.output)")
    }
  }

  /// A primary that was killed before its database was made. PostgreSQL's programs write down what they were asked.
  @Test func aPrimaryThatIsHalfMadeIsMadeAnew() async {
    let outcome = await Shell.run(
      #"""
      set -euo pipefail; cd "$(mktemp -d)"; trap 'rm -rf "$PWD"' EXIT; mkdir bin data
      program() { { echo '#!/bin/bash'; cat; } >"bin/$1"; chmod +x "bin/$1"; }
      program initdb <<<'mkdir "$2"; echo 15 >"$2/PG_VERSION"'
      program pg_ctl <<<''
      program psql <<<'[ -e lives ] || exec kill -9 $PPID; echo "${@: -1}"'
      program postgres <<<'echo "in $2: $(ls "$2")"'
      primary() { DATA=data BIN=bin PGPASSWORD=a "\#(Document.root)/docker/scale/database" primary; }
      { primary || echo "ended: $?"; } 2>/dev/null
      touch lives
      primary; primary
      """#)
    let started = "in data/cluster: PG_VERSION\npg_hba.conf\npostgresql.auto.conf\npostgresql.conf\n"
    #expect(
      outcome.output == "ended: 137\nCREATE DATABASE rollingroad\n" + started + started, "\(outcome.output)")
  }

  /// What is shipped for it can be read by what it is for.
  @Test func theFilesOfNodesAreRight() async {
    let outcome = await Shell.run(
      """
      cd '\(Document.root)/docker'; set -euo pipefail
      bash -n scale/database
      command -v haproxy >/dev/null || exit 0
      LISTEN=127.0.0.1:8080 NODE1=127.0.0.1:1 NODE2=127.0.0.1:2 NODE3=127.0.0.1:3 haproxy -c -f scale/haproxy.cfg
      """)
    #expect(outcome.exitCode == 0, "\(outcome.output)")
  }
}
