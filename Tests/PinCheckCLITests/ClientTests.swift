import LoopbackLab
import PinCheckCLI
import Testing

/// `--client`: one client or several judge the same chain.
@Suite(.endsSomeTime) struct ClientTests {
    private static let pki = try! StandardPKI.shared()

    @Test func anIntermediatePinIsEnoughForSomeAndNotForOthers() async throws {
        try await desk(
            "verify @next.pem --anchors @root.pem --host $HOST --pins $INTER --pins $JUNK "
                + "--client okhttp,curl,trustkit,nspinneddomains:key=leaf"
        ).expect(
            .fail, "  accept  okhttp                    public key pin matched at depth 1\n",
            "  reject  curl                      the leaf's public key is not pinned",
            "  nspinneddomains: the key of the authority at depth 1 is in NSPinnedLeafIdentities",
            "  pins: 2 configured, 1 on the chain (intermediate), 1 not in the chain",
            ending: "; also rejected by curl\n", errors: "curl: the pin is that of the authority at depth 1")
    }

    @Test func jsonListsEachClientWithItsSettings() async throws {
        let outcome = try await desk(
            "VERIFY --pins $JUNK --pins $ROGUE --client afnetworking,trustkit:no-enforce -f json"
        ).expect(.fail)
        let clients = try JSONValue(outcome.output)["clients"].array
        try #require(clients.map { $0["name"].text } == ["afnetworking", "trustkit"])
        #expect(clients.map { $0["verdict"].text } == ["reject", "accept"])
        #expect(clients[0]["settings"]["validates_domain_name"].flag == true)
        #expect(clients[1]["settings"]["no_enforce"].flag == true)
        #expect(clients[1]["reason"]["id"].text == "mismatch-not-enforced")
    }

    @Test func aClientThatCannotBeSetUpIsADataError() async throws {
        let line = "VERIFY --pins $LEAF --client "
        try await desk(line + "trustkit").expect(.data, errors: "TrustKit needs 2: add a backup pin")
        let all = try await desk(line + "all").expect(
            .data, "  none    trustkit         1 pin is configured and TrustKit needs 2")
        let verdict =
            "trustkit cannot be set up: 1 pin is configured and TrustKit needs 2: add a backup pin; all 8 clients accept"
        let text = all.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("DATA") && text.hasSuffix(verdict), "\(all.output)")
        try await desk(line + "all -f junit").says(
            "name=\"trustkit\"", "<error type=\"not-configured\"", "warning client-not-set-up: ")
    }

    @Test func onlyClientsOnApplesPlatformsAnswerAChallenge() async throws {
        let outcome = try await desk("VERIFY --pins $LEAF --client okhttp,curl,nspinneddomains --explain")
        #expect(outcome.output.ranges(of: "an NSURLSession client answers useCredential").count == 1)
        let document = try await desk("VERIFY --client okhttp,curl,afnetworking -f json").output
        let dispositions = try JSONValue(document)["clients"].array.map { $0["disposition"].text }
        #expect(dispositions == [nil, nil, "useCredential"])
    }

    // MARK: Roots

    /// The interceptor's chain, its root installed on the device by hand.
    private static let charles = "verify @rogue.pem --anchors @root.pem --extra-root @other.pem --host $HOST "

    @Test func anInstalledRootFoolsAppsWithoutPinsButNotThoseOnAndroid() async throws {
        try await desk(Self.charles + "--client afnetworking,alamofire,android,okhttp:user-roots").expect(
            .fail, "  accept  afnetworking       the chain is trusted",
            "  reject  android            the issuer of CN=RogueI (depth 1)",
            "  accept  okhttp:user-roots  the chain is trusted")
        // Nor does a pin compared by hand exempt them.
        for client in ["afnetworking", "generic"] {
            #expect(try await decision(of: Self.charles + "--pins $LEAF --client \(client)") == "fail pin-mismatch")
        }
    }

    @Test(arguments: [("", "fail pin-mismatch"), ("true", "pass pins-not-applied"), ("false", "fail pin-mismatch")])
    func trustKitExemptsInstalledRootsWhereItsConfigurationSaysSo(value: String, expected: String) async throws {
        let key = value.isEmpty ? "" : #""TSKIgnorePinningForUserDefinedTrustAnchors": \#(value),"#
        let tsk = #"{\#(key) "TSKPinnedDomains": {"$HOST": {"TSKPublicKeyHashes": ["$LEAF64", "$NEXT64"]}}}"#
        let found = try await decision(of: Self.charles + "--pins @tsk.json --client trustkit", ["tsk.json": tsk])
        #expect(found == expected)
    }

    @Test func aMachineWithoutRootsIsToldSo() async throws {
        try await Desk.open { desk in
            let store = ["SSL_CERT_DIR": try desk.files.makeDirectory("store")]
            let line = "verify @chain.pem --host $HOST"
            await desk(line + " -f json", environment: store).expect("fail unknown-issuer")
            await desk(line, environment: store).says(
                errors: "this machine has no trusted roots (\(desk.files.path)/store and /nonexistent)")
            try desk.write(Self.pki.rootB.pem, to: "store/" + Self.pki.rootB.hashedFileName)
            await desk(line, environment: store).expect(.fail, not: "no trusted roots")
        }
    }

    // MARK: Names

    /// The names of a leaf, what follows the chain, and the decision.
    @Test(arguments: [
        (["xn--bcher-kva.example"], "--host BÜCHER.example", "pass trusted-without-pins"),
        (["xn--bcher-kva.example"], "--host bücher。example", "pass trusted-without-pins"),
        (["xn--bcher-kva.example"], "--host bucher.example", "fail name-mismatch"),
        // A wildcard above a registry's suffix counts for nobody.
        (["*.co.uk"], "--host shop.co.uk", "fail name-mismatch"),
        (["*.co.uk", "shop.co.uk"], "--host shop.co.uk", "pass trusted-without-pins"),
        (["*.github.io"], "--host someone.github.io", "pass trusted-without-pins"),
        (["*.example.co.uk"], "--host www.example.co.uk", "pass trusted-without-pins"),
        // A pattern of OkHttp's may be international.
        (["www.xn--bcher-kva.example"], "OKHTTP*.bücher.example", "fail pin-mismatch"),
        (["www.xn--bcher-kva.example"], "OKHTTP**.BÜCHER.example", "fail pin-mismatch"),
        (["www.xn--bcher-kva.example"], "OKHTTP*.bucher.example", "pass pins-not-applied"),
    ]) func namesAreReadAsPeopleWriteThem(names: [String], arguments: String, expected: String) async throws {
        let leaf = try Self.pki.interA.issue(.leaf(subject: "names", names: names.map { GeneralName.dns($0) }))
        let pattern = "--host www.bücher.example --pins $JUNK --client okhttp:pattern="
        let line = "verify @names.pem --anchors @root.pem " + arguments.replacing("OKHTTP", with: pattern)
        #expect(try await decision(of: line, ["names.pem": leaf.pem + Self.pki.interA.pem]) == expected)
    }
}
