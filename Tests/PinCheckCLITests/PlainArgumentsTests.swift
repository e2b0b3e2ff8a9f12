import ArgumentParser
import LoopbackLab
@testable import PinCheckCLI
import Testing

/// The reader of plain command lines and the parser understand the same.
@Suite(.endsSomeTime) struct PlainArgumentsTests {
    /// The options of `check` as the parser describes them, with all of their names.
    private func described() throws -> [(names: [String], isFlag: Bool)] {
        let description = try ParserDescription.program()
        let check = try #require(description["subcommands"].array.first { $0["commandName"].text == "check" })
        return check["arguments"].array.filter { $0["kind"].text != "positional" }.map { argument in
            let names = argument["names"].array.compactMap { name in
                name["name"].text.map { (name["kind"].text == "long" ? "--" : "-") + $0 }
            }
            return (names, argument["kind"].text == "flag")
        }
    }

    @Test func everyOptionOfACheckIsUnderstoodButThoseThatAnswerThemselves() throws {
        let names = Set(try described().flatMap(\.names))
        let left: Set = ["-h", "--help", "--version"]
        #expect(names.subtracting(PlainArguments.names) == left)
        #expect(PlainArguments.names.subtracting(names).isEmpty)
    }

    @Test(arguments: [
        ["--help"], ["a.example", "--"], ["-"], ["--pins"], ["--pins", ""], ["--pins="], ["--pins", "-x"], ["-fjson"],
        ["-f=json"], ["--quiet=1"], ["-46"], ["--pin", "x"], [""], ["-qf", "json"],
    ]) func whatIsNotPlainIsLeftToTheParser(arguments: [String]) { #expect(PlainArguments(arguments) == nil) }

    /// What a command was told, each value in a line.
    private func facts(_ command: CheckCommand) -> [String] {
        let request: String
        do throws(CommandError) { request = "\(try command.request())" } catch { request = "\(error)" }
        return [
            request, "\(command.targets) \(command.given.lists) \(command.given.policy)",
            "\(command.plan.baseline ?? "-") \(command.plan.next)",
            "\(command.plan.rotation.allow) \(command.plan.rotation.update)", command.changes.state ?? "-",
            "\(command.clientCertificate.clientCertificate ?? "-") \(command.clientCertificate.clientKey ?? "-")",
            "\(command.variants.addresses)",
            "\(command.output.format) \(command.output.output ?? "-") \(command.output.color ?? "-")",
            "\(command.output.explain) \(command.output.quiet)",
        ]
    }

    @Test func everyOptionAloneIsReadAsTheParserReadsIt() throws {
        let values = ["30d", "json", "1.2", "api.example.com", "7"]
        for (number, option) in try described().enumerated() {
            for name in option.names where PlainArguments.names.contains(name) {
                // A number, which most would take, and one of the others, which some refuse.
                for value in option.isFlag ? [""] : ["7", values[number % 4]] {
                    let arguments = ["a.example", name] + (option.isFlag ? [] : [value])
                    let plain = try #require(PlainArguments(arguments), "\(arguments)")
                    #expect(facts(CheckCommand(plain)) == facts(try CheckCommand.parse(arguments)), "\(arguments)")
                }
            }
        }
    }

    @Test(arguments: Seeds.sample(4)) func whateverIsReadIsReadAsTheParserReadsIt(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let options = try described().flatMap { option in option.names.map { ($0, option.isFlag) } }
        let values = [
            "30d", "json", "a.example", "b=c", "sha256/x", "1.2", "7", "", "-x", "--pins", "=", "a b", "ä", "-", "warn",
            "192.0.2.1", "[::1]:443", "text=out.txt",
        ]
        for _ in 0..<20 {
            var arguments: [String] = []
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                guard let (name, isFlag) = options.randomElement(using: &random),
                    let value = values.randomElement(using: &random)
                else { continue }
                switch Int.random(in: 0...9, using: &random) {
                case 0: arguments.append(value)
                case 1...3: arguments.append("\(name)=\(value)")
                default: arguments += isFlag ? [name] : [name, value]
                }
            }
            guard let plain = PlainArguments(arguments) else { continue }
            let parsed = try? CheckCommand.parse(arguments)
            #expect(parsed.map(facts) == facts(CheckCommand(plain)), "\(arguments)")
        }
    }
}
