import Foundation
import LoopbackLab
import Testing

@testable import PinCheckCLI

/// What Prometheus itself says of metrics, and of the configuration in the article.
@Suite(.enabled(if: Promtool.path != nil, "there is no promtool to ask"), .endsSomeTime)
struct ServeArticleTests: ServeTesting {
    private func promtool(_ arguments: String, in directory: TemporaryDirectory) async throws -> String {
        let program = try #require(Promtool.path)
        let outcome = try await BuiltBinary.run("cd '\(directory.path)'; \(program) \(arguments) 2>&1")
        return outcome.status == 0 ? "" : outcome.output
    }

    @Test func theMetricsAreAsPrometheusWantsThem() async throws {
        try await serving { world in
            try await RunningExporter.serving(["--policy", world.policy]) { exporter in
                for place in ["/probe?target=\(host)", "/metrics"] {
                    let file = try world.files.write(try await exporter.get(place).body, to: "metrics")
                    #expect(try await promtool("check metrics <'\(file)'", in: world.files) == "", "\(place)")
                }
            }
        }
    }

    private func blocks(_ language: String) throws -> [String] {
        let article = try Article("Sources/pincheck/pincheck.docc/Serving.md")
        return article.blocks.filter { $0.language == language }.map { block in
            block.range.map { article.lines[$0] + "\n" }.joined()
        }
    }

    @Test func theConfigurationIsOneThatPrometheusTakes() async throws {
        let blocks = try blocks("yaml")
        try #require(blocks.count == 2)
        let files = try TemporaryDirectory()
        try files.write("rule_files: [rules.yml]\n" + blocks[0], to: "prometheus.yml")
        try files.write(blocks[1], to: "rules.yml")
        try files.write(Self.ruleTest, to: "test.yml")
        #expect(try await promtool("check config prometheus.yml", in: files) == "")
        #expect(try await promtool("test rules test.yml", in: files) == "")
    }

    @Test func theDashboardAsksWhatPrometheusUnderstands() async throws {
        let dashboard = try JSONValue(#require(blocks("json").first))
        let questions = dashboard["panels"].array.flatMap { $0["targets"].array }.compactMap { $0["expr"].text }
        try #require(questions.count == 7)
        let rules = questions.enumerated().map { "  - {record: 'x\($0.offset)', expr: '\($0.element)'}\n" }.joined()
        let files = try TemporaryDirectory()
        try files.write("groups:\n- name: x\n  rules:\n" + rules, to: "rules.yml")
        #expect(try await promtool("check rules rules.yml", in: files) == "")
    }

    /// A server that rotates after two minutes, and another that is not reached from then on.
    private static let ruleTest = """
        rule_files: [rules.yml]
        evaluation_interval: 1m
        tests:
          - interval: 1m
            input_series:
              - series: 'pincheck_accepted{instance="a",target="a:443",address="203.0.113.7",client="okhttp"}'
                values: '1 1 0x30'
              - series: 'pincheck_reached{instance="b",target="b:443"}'
                values: '1 1 0x30'
            alert_rule_test:
              - eval_time: 1m
                alertname: PinnedClientsLockedOut
              - eval_time: 2m
                alertname: PinnedClientsLockedOut
                exp_alerts:
                  - exp_labels: {severity: page, instance: a, target: "a:443", address: 203.0.113.7, client: okhttp}
                    exp_annotations: {summary: "okhttp rejects a:443 at 203.0.113.7"}
              - eval_time: 16m
                alertname: PinsUnchecked
              - eval_time: 18m
                alertname: PinsUnchecked
                exp_alerts:
                  - exp_labels: {severity: ticket, instance: b, target: "b:443"}
                    exp_annotations:
                      summary: "nothing is known of b: it is not reached, or the exporter's policy is broken"

        """
}

/// Prometheus' tool, where it is installed.
private enum Promtool {
    static let path = ["/usr/bin/promtool", "/usr/local/bin/promtool", "/opt/homebrew/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
}
