import Foundation
import LoopbackLab
import Testing

@testable import PinCheckCLI

/// TAB pressed in real shells, in a directory with a few files.
@Suite(.endsSomeTime) struct CompletionTests {
    static let lines: [(typed: String, completed: String)] = [
        // Options of `check`, which nobody has to write.
        ("pincheck api.example.com --cl", "--client"), ("pincheck check api.example.com --cl", "--client"),
        ("pincheck verify chain.pem --expl", "--explain"), ("pincheck help li", "lint"),
        ("pincheck devices ios-12.", "ios-12.1.3"), ("pincheck api.example.com --client alamo", "alamofire"),
        ("pincheck api.example.com --client=alamo", "alamofire"),
        ("pincheck api.example.com --client okhttp,alamo", "okhttp,alamofire"),
        ("pincheck api.example.com --client trustkit:no", "trustkit:no-enforce"),
        ("pincheck api.example.com --client okhttp,trustkit:no", "okhttp,trustkit:no-enforce"),
        ("pincheck api.example.com --client=trustkit:no", "trustkit:no-enforce"),
        ("pincheck [::1]:8443 --format na", "nagios"),
        ("pincheck api.example.com --allow renewed,names-a", "renewed,names-added"),
        ("pincheck api.example.com --key-types rsa,ed", "rsa,ed25519"),
        ("pincheck api.example.com --device ios-12,android-17", "ios-12,android-17"),
        ("pincheck api.example.com --device ios-26,system", "ios-26,system"),
        ("pincheck serve --policy roo", "root.pem"), ("pincheck lint Pins --format sa", "sarif"),
        ("pincheck pins api.example.com --position leaf,inter", "leaf,intermediate"),
        // Files, where files go and nowhere else.
        ("pincheck api.example.com --pins roo", "root.pem"), ("pincheck api.example.com --anchors roo", "root.pem"),
        ("pincheck api.example.com --format json=roo", "json=root.pem"), ("pincheck verify roo", "root.pem"),
        ("pincheck lint roo", "root.pem"), ("pincheck api.example.com --sni roo", "roo"), ("pincheck roo", "roo"),
        ("pincheck api.example.com --policy roo", "root.pem"),
        // The middle of a word is not completed.
        ("pincheck ec", "ec"),
    ]

    @Test(.has("bash")) func tabCompletesInBash() async throws {
        // Readline reads a pipe too, and the function says what it was called with.
        let typed = Self.lines.map { $0.typed + "\t\n" }.joined()
        let start = "PS1=; . ./pincheck.bash; HOSTFILE=/dev/null; pincheck() { echo \"=${!#}\"; }\n"
        let output = try await Shell.bash.run("bash --norc --noprofile -i <typed 2>errors", typed: start + typed)
        expect(output.split(separator: "\n").filter { $0.hasPrefix("=") }.map { String($0.dropFirst()) })
    }

    @Test(.has("zsh")) func tabCompletesInZsh() async throws {
        // The terminal is zsh's own module for one. A key of its own shows the line, so that nothing is run.
        let start = #"""
            PS1= PS2=
            autoload -Uz compinit; compinit -u -D; . ./pincheck.zsh
            zstyle ':completion:*' hosts
            bindkey '^I' complete-word
            show() { print -r -- "=${${(z)BUFFER}[-1]}" >>shown; BUFFER=; zle -I; print NE""XT }
            zle -N show; bindkey '^Xs' show
            print NE""XT

            """#
        let driver = #"""
            zmodload zsh/zpty || exit 3
            zpty shell zsh -f -i
            zpty -w shell '. ./start'
            zpty -r -m shell text '*NEXT*'
            while IFS= read -r line; do
                zpty -w -n shell "$line"$'\t\C-xs'
                zpty -r -m shell text '*NEXT*'
            done <typed
            zpty -d shell
            cat shown
            """#
        let output = try await Shell.zsh.run(
            "zsh -f driver", typed: Self.lines.map { $0.typed + "\n" }.joined(),
            files: ["start": start, "driver": driver])
        expect(output.split(separator: "\n").map { String($0.dropFirst()) })
    }

    @Test(.has("fish")) func tabCompletesInFish() async throws {
        // Fish says itself what it would offer.
        let driver = """
            source pincheck.fish
            while read -l line
                set -l found (complete -C $line | string split -f 1 \\t)
                echo "=$found[1]"
            end <typed
            """
        let output = try await Shell.fish.run(
            "fish --no-config driver", typed: Self.lines.map { $0.typed + "\n" }.joined(), files: ["driver": driver])
        let found = output.split(separator: "\n").map { String($0.dropFirst()) }
        // Where fish offers nothing, what was typed stays.
        expect(
            zip(Self.lines, found).map { line, word in
                word.isEmpty ? String(line.typed.split(separator: " ").last ?? "") : word
            })
    }

    private func expect(_ found: [String], _ location: SourceLocation = #_sourceLocation) {
        #expect(found.count == Self.lines.count, "\(found)", sourceLocation: location)
        for ((typed, completed), found) in zip(Self.lines, found) {
            // A shell may put a separator behind the word, and keeps the name of the option before an equals sign.
            let name = typed.split(separator: " ").last.flatMap {
                $0.hasPrefix("--") ? $0.split(separator: "=").first : nil
            }
            var word = found
            if let name, typed.hasSuffix(word) == false, word.hasPrefix(name + "="), completed != name {
                word.removeFirst(name.count + 1)
            }
            while let last = word.last, [",", "="].contains(last) { word.removeLast() }
            #expect(word == completed, "\(typed)", sourceLocation: location)
        }
    }

    @Test func everyScriptAsksTheProgram() async {
        for shell in Completion.scripts {
            await pincheck("--generate-completion-script=\(shell.name)").expect(.pass, "pincheck --complete")
        }
    }

    @Test(arguments: [
        (["--thor"], "words|--thorough"), (["api.example.com", "-f", "pro"], "words|prometheus"),
        (["snap"], "words|snapshot"), (["help", "opt"], "words|options"), (["verify", ""], "files"),
        (["verify", "--host", "a"], "words"), (["api.example.com", ""], "hosts"), (["pins", ""], "files"),
        (["snapshot", ""], "hosts"), (["api.example.com", "--pins", ""], "files"),
        (["pins", "api.example.com", "--save", ""], "directories"), (["clients", ""], "words"),
        (["--client=okhttp,alamo"], "words|--client=okhttp,alamofire"), (["--format", "json=x"], "files"),
        (["serve", "--module", "apps=x"], "files"), (["--no-such", "x"], "hosts"), ([], ""),
    ]) func theProgramSaysWhatCanStandThere(words: [String], answer: String) async {
        let outcome = await pincheck(["--complete"] + words)
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: "\t")[0] }
        #expect(outcome.status == .pass)
        if !words.isEmpty { #expect(lines.joined(separator: "|") == answer) }
    }
}

enum Shell: String {
    case bash, zsh, fish

    /// Runs a command of the shell in a directory with its completion script, what is typed, and some files to be completed.
    func run(_ command: String, typed: String, files: [String: String] = [:]) async throws -> String {
        let script = try #require(Completion.scripts.first { $0.name == rawValue }).text
        let directory = try TemporaryDirectory()
        var all = files
        all["pincheck.\(rawValue)"] = script
        let program = try #require(BuiltBinary.path.map { ($0 as NSString).deletingLastPathComponent })
        all["typed"] = typed
        all["root.pem"] = ""
        for (name, text) in all { try directory.write(text, to: name) }
        let outcome = try await BuiltBinary.run(
            "cd '\(directory.path)'; PATH='\(program)':$PATH HOME='\(directory.path)' TERM=dumb \(command)")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        return outcome.output
    }
}
