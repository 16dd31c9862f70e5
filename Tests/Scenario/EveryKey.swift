/// A scenario that uses every section and every variant of the language at least once.
enum EveryKey {
  static let text = #"""
    {
      $schema: './scenario.schema.json',
      version: 1,
      name: "every-key",
      description: "Says everything once.",
      seed: "0xC0FFEE",
      clock: {
        mode: "lockstep", latency: "modelled", factor: 10, start: "2026-05-04T06:00:00+02:00", duration: "2h30m", zoneChanges: ["2026-10-25T02:00:00+01:00"],
        settle: "20m", timestamps: "shift-to-now",
      },
      target: {
        preset: "traccar", url: "https://backend.example/locations", headers: { "X-Run": "${RUN:-none}" },
        auth: { strategy: "jwt", tokenUrl: "/r", refreshUrl: "/f", accessTokenTtl: "15m", refreshRotation: "reusable", identity: "keycloak", loginAgain: 0.5 },
        connections: { policy: "pooled", keepAlive: "1m30s", http: "2", sourceAddresses: "single", resolve: ["backend.example:443:127.0.0.1"], proxy: "http://127.0.0.1:3128" },
        tls: { ca: "authority.pem", insecure: false, clientCert: "phone.pem", clientKey: "phone.key",
          pinnedKey: "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" },
        verify: { method: "query", url: "/records?device={device}", uuids: "$[*].uuid", next: "$.next", headers: { "X-Who": "${device.id}" }, readDelay: "2s", fields: { "coords.speed": "$.v" } },
      },
      sdk: {
        profile: "ios-5.1", behaviour: "documented",
        config: {
          geolocation: { desiredAccuracy: "medium", distanceFilter: 25 },
          http: { batchSync: true, params: { id: "${device.id}" } },
        },
      },
      routes: {
        recorded: { type: "collection", files: "routes/*.gpx", format: "gpx", pick: "sequence" },
        drive: { type: "replay", file: "drive.csv", format: "csv", timing: "modelled", speed: 1.5, loop: "restart" },
        town: {
          type: "generate", model: "grid-city", center: [52.5, 13.4], extent: "8km", block: "150m",
          trips: { model: "plan", plan: "night-shift" },
        },
        pauses: { type: "generate", trips: { dwell: { dist: "normal", mean: "5m", deviation: "1m" } } },
      },
      motion: {
        van: {
          extends: "driving",
          speed: {
            desired: "80km/h", accel: 1, brake: 2.5,
            stops: { perKm: 0.8, duration: { dist: "exponential", mean: "20s" } },
          },
          gps: {
            model: "ornstein-uhlenbeck", sigma: "5m", tau: "30s", reportedAccuracy: "p68",
            outliers: { perHour: 1, distance: { dist: "pareto", min: "60m", alpha: 2 } }, dropouts: { zones: "none" },
          },
          activity: { in_vehicle: 0.75, still: 0.25 },
        },
        stroll: { speed: { model: "constant", mean: "1m/s", cv: 0.2 } },
      },
      geofences: {
        grid: {
          type: "grid", count: 30, radius: "250m", notifyOnEntry: true, notifyOnExit: false, notifyOnDwell: true,
          loiteringDelay: 60000,
        },
        depot: { type: "list", fences: [{ identifier: "depot", latitude: 52.5, longitude: 13.4, radius: 200 }] },
      },
      networks: {
        dsl: { latency: "20ms", jitter: "2ms", down: "16mbit", up: "1mbit", loss: 0.001, connectionType: "wifi" },
        road: { markov: { lte: { none: "10m" }, none: { lte: "1m" } }, start: "lte" },
      },
      fleets: {
        vans: {
          executor: "ramping-devices", startDevices: 2, shape: "heaviside",
          stages: [{ duration: "10m", target: 20 }, { duration: "0s", target: 40 }],
          startTime: "1m", members: [0, 7, 39], routes: "town", motion: "van", network: "road", geofences: "grid",
          mode: "geofences",
          sdk: { profile: "android-5.1", behaviour: "observed", config: { http: { autoSyncThreshold: 3 } } },
          config: { app: { stopOnTerminate: false } },
          lifecycle: {
            terminate: { perHour: 0.1, relaunchAfter: { dist: "uniform", min: "5s", max: "1m" } },
            reboot: { perHour: 0.01 }, battery: { start: [0.4, 0.9], drainPerHour: 0.05 },
          },
          tags: { tier: "gold" },
        },
        visitors: {
          executor: "ramping-arrival-rate", startRate: 1, timeUnit: "1m", arrivals: "even", maxDevices: 100,
          stages: [{ duration: "1h", target: 5 }], trip: { distance: { dist: "lognormal", median: "2km", p95: "9km" } },
          motion: "stroll", network: "wifi",
        },
        steady: { executor: "constant-arrival-rate", rate: 2, timeUnit: "1m", trip: { distance: "3km" } },
        few: { executor: "constant-devices", devices: 3, network: "dsl" },
      },
      acts: [
        { at: "3m", addPhones: { fleet: "vans", count: 3 } }, { at: "4m0.5s", removePhones: { fleet: "vans", count: 2 } },
        { at: "5m", changeRate: { fleet: "visitors", factor: 1.5 } }, { at: "1h", end: "stop" },
      ],
      faults: [
        { name: "gap", at: "10m", for: "5m", select: { fleet: "vans", fraction: 0.5 }, network: "none" },
        { name: "late", at: "1m", for: "1m", toxic: { type: "latency", stream: "upstream", toxicity: 0.5, attributes: { latency: 100, jitter: 10 } } },
        { name: "thin", at: "2m", for: "1m", toxic: { type: "bandwidth", attributes: { rate: 8 } } },
        { name: "lazy", at: "3m", for: "1m", toxic: { type: "slow_close", attributes: { delay: 100 } } },
        { name: "mute", at: "4m", for: "1m", toxic: { type: "timeout", attributes: { timeout: 0 } } },
        { name: "reset", at: "5m", for: "1m", toxic: { type: "reset_peer", phase: "in-response", attributes: { timeout: 5 } } },
        { name: "sliced", at: "6m", for: "1m", toxic: { type: "slicer", attributes: { average_size: 10, size_variation: 2, delay: 3 } } },
        { name: "short", at: "7m", for: "1m", toxic: { type: "limit_data", attributes: { bytes: 100 } } },
        { name: "slow", at: "7m", for: "1m", tls: { problem: "slow", delay: "3s" } },
        { name: "http", at: "8m", for: "1m", http: {
          abort: { status: 413, percentage: 50, headers: { "Retry-After": "5" }, when: "request.bytes > 65536" },
          delay: { fixedDelay: "2s", percentage: 10, when: "request.records in [1, 2]" },
          answer: { kind: "portal", percentage: 1, when: "request.records>=5" } } },
        { name: "auth", at: "9m", for: "1m", auth: { expireAllAccessTokens: true, revokeAllTokens: true, rotateKeys: true, refreshStatus: 500 } },
        { name: "disk", at: "9m", for: "1m", storage: { error: "SQLITE_FULL" } },
        { name: "crash", rate: { perDeviceHour: 0.1 }, storage: { crash: "between-2xx-and-delete" } },
        { name: "phone", at: "9m", for: "1m", select: { place: [[52, 13], [53, 13], [52.5, 14]] }, device: { clockOffset: "-90s", clockDrift: 20, noFix: true, poisonRecord: "text-latitude" } },
        { name: "boot", occurrences: [{ fleet: "vans", member: 7, at: "9m0.25s", number: 2 }], lifecycle: { terminate: true, reboot: true, relaunchAfter: "10s" } },
        { name: "remote", at: "9m", select: { count: 2 }, remote: { background_geolocation: [["setConfig", { geolocation: { desiredAccuracy: "low" } }], ["stop"]] } },
      ],
      checks: { ok: "response.status in [200, 204]", quick: "response.duration <= 1500" },
      thresholds: {
        "checks{check:ok}": ["rate>0.9"],
        "upload_duration{fleet:vans,tier:gold}": ["p(99.5)<800", { threshold: "avg<=100", abortOnFail: true, delayAbortEval: "5m", onFail: "invalidate" }],
        http_reqs: ["count>10"],
        devices_active: ["value<100"],
      },
      invariants: { enable: ["I1-conservation", "I13-drain"], disable: ["I13-drain"], onViolation: "stop" },
      coverage: { sometimes: ["401-mid-flush"], requireOverSeeds: 20 },
      outputs: [
        { type: "console" }, { type: "summary-json", file: "s.json" }, { type: "junit", file: "j.xml" },
        { type: "html", file: "r.html" }, { type: "events-ndjson", file: "e.ndjson", sample: 0.5 },
        { type: "sdk-log", dir: "logs", devices: "all" }, { type: "prometheus", listen: "127.0.0.1:0" },
        { type: "otlp-http", url: "http://127.0.0.1:4318", encoding: "json", headers: { "X-Key": "${KEY:-k}" },
          interval: "5s", sample: 0.1, attributes: { team: "maps" }, time: "now" },
        { type: "otlp-http-json", url: "" }, { type: "hdr-log", file: "h.hlog" },
        { type: "prometheus-remote-write", url: "https://metrics.example/api/v1/write", headers: { A: "b" },
          interval: "1m", labels: { team: "maps" }, time: "simulated" },
      ],
    }
    """#
}
