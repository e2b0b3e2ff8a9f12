import Foundation
import LoopbackLab
import Pinning

struct StageWorld: Sendable {
    let pki: StandardPKI
    let chain: [LabCertificate]
    /// The server's certificate with five days left, and one of another name.
    private let expiring: LabCertificate
    private let elsewhere: LabCertificate
    private let backup: LabKey

    init() throws {
        let now = Stage.now
        pki = try StandardPKI(fixedAt: now)
        chain = [pki.leaf, pki.interA]
        backup = try .fixed("backup")
        expiring = try pki.interA.reissue(pki.leaf) {
            $0 = $0.valid(from: now - 85 * LabClock.day, to: now + 5 * LabClock.day)
            $0.serialNumber = [101]
        }
        elsewhere = try pki.interA.issue(
            pki.leaf.template.with {
                $0.subject = "www"
                $0.alternativeNames = [.dns("www.example.org")]
                $0.serialNumber = [102]
            }, key: .fixed("elsewhere"))
    }

    var pins: [String: String] {
        [
            "LEAF": pki.leaf.pin, "NEXT": pki.leaf2.pin, "INTER": pki.interA.pin, "TOP": pki.rootA.pin,
            "ROGUE": pki.rogue.pin, "JUNK": pki.junk.pin, "BACKUP": "sha256/\(hash(backup))",
            "CURLLEAF": "sha256//\(hash(pki.leaf.key))", "CURLJUNK": "sha256//\(hash(pki.junk.key))",
            "BARE": hash(pki.leaf.key),
        ]
    }

    private func hash(_ key: LabKey) -> String { SHA256Digest(bytes: key.publicKeySHA256)!.base64 }

    var servers: [(name: String, behavior: ServerBehavior)] {
        func tls(_ chain: [LabCertificate]) -> ServerBehavior {
            .tls(
                TLSServerSettings(presenting: chain).with {
                    $0.options["Groups"] = "X25519"
                    $0.application = Responder { request in
                        let isThere = request.hasPrefix("GET /list.txt ") || request.hasPrefix("HEAD /list.txt ")
                        let body = isThere ? "a list\n" : "nothing here\n"
                        return Responder.Answer(
                            "HTTP/1.1 \(isThere ? "200 OK" : "404 Not Found")\nContent-Length: \(body.utf8.count)",
                            request.hasPrefix("HEAD ") ? [] : body.bytes)
                    }
                })
        }
        let old = TLSServerSettings(presenting: chain).with { $0.maximumVersion = .tls10 }
        return [
            ("SERVER", tls(chain)), ("ROTATED", tls([pki.leaf2, pki.interA])),
            ("INTERCEPTED", tls([pki.rogue, pki.rogueI])), ("EXPIRED", tls([pki.leafExp, pki.interA])),
            ("EXPIRING", tls([expiring, pki.interA])), ("INCOMPLETE", tls([pki.leaf])), ("OLDTLS", .tls(old)),
            ("PLAIN", .plainHTTP),
        ]
    }

    /// What a server presents after each change, by the name of the change; `before` is what it did.
    var changes: [(name: String, chain: [LabCertificate])] {
        get throws {
            var number: UInt8 = 110
            func again(_ issuer: LabCertificate, _ change: (inout CertificateTemplate) -> Void = { _ in }) throws
                -> LabCertificate
            {
                number += 1
                return try issuer.reissue(pki.leaf) {
                    $0.serialNumber = [number]
                    change(&$0)
                }
            }
            let other = try pki.rootA.issue(
                pki.interA.template.with {
                    $0.subject = "InterC"
                    $0.serialNumber = [103]
                }, key: .fixed("InterC"))
            let named = try again(pki.interA) { $0.alternativeNames.append(.dns("www.example.com")) }
            let shorter = try again(pki.interA) { $0.notAfter = Stage.now + LabClock.day }
            return [
                ("before", chain), ("renewed", [pki.leafRe, pki.interA]), ("rekeyed", [pki.leaf2, pki.interA]),
                ("issuer-changed", [try again(other), other]), ("root-changed", [pki.leaf, pki.interAxB]),
                ("names-added", [named, pki.interA]), ("intermediate-missing", [pki.leaf]),
                ("root-sent", chain + [pki.rootA]), ("stranger-sent", chain + [pki.junk]),
                ("expires-earlier", [shorter, pki.interA]), ("intercepted", [pki.rogue, pki.rogueI]),
            ]
        }
    }

    static let editedSnapshots: [(name: String, base: String, replaced: String, replacement: String)] = [
        ("key-type-changed", "rekeyed", "EC P-256", "RSA 2048"),
        ("other-target", "before", "\"target\" : \"api", "\"target\" : \"new"),
    ]

    static let policy = """
        {
          defaults: { anchors: "root.pem", connect: "127.0.0.1" },
          hosts: {
            "$HOST": { ports: [$SERVERPORT, $ROTATEDPORT], pins: "pins.txt", client: "okhttp" },
            "$HOST:$REFUSEDPORT": { pins: "leaf.cer", timeout: 5 },
          },
        }

        """

    func write(to files: TemporaryDirectory) throws {
        try files.makeDirectory("empty")
        func pem(_ certificates: LabCertificate...) -> String { certificates.map(\.pem).joined() }
        let texts = [
            "root.pem": pki.rootA.pem, "rootB.pem": pki.rootB.pem, "roots.pem": pem(pki.rootA, pki.rootB),
            "chain.pem": pem(pki.leaf, pki.interA), "leaf.pem": pki.leaf.pem, "inter.pem": pki.interA.pem,
            "next-chain.pem": pem(pki.leaf2, pki.interA), "rogue.pem": pem(pki.rogue, pki.rogueI),
            "expired.pem": pem(pki.leafExp, pki.interA), "expiring.pem": pem(expiring, pki.interA),
            "elsewhere.pem": pem(elsewhere, pki.interA), "stranger-sent.pem": pem(pki.rogue, pki.rogueI, pki.leaf),
            "key.pub": pki.leaf.key.publicKeyPEM, "next.pub": pki.leaf2.key.publicKeyPEM,
            "private.key": try pki.leaf.key.privateKeyPEM(), "backup.pub": backup.publicKeyPEM, "pem.cer": pki.leaf.pem,
        ]
        for (name, text) in configurations.merging(texts, uniquingKeysWith: { $1 }) { try files.write(text, to: name) }
        for (name, bytes) in [
            "leaf.cer": pki.leaf.der, "inter.cer": pki.interA.der, "junk.cer": pki.junk.der,
            "bundle/leaf.cer": pki.leaf.der, "bundle/next.cer": pki.leaf2.der, "Shop.app/leaf.cer": pki.leaf.der,
            "next.csr": try pki.leaf2.key.certificationRequest(for: "next"),
        ] { try files.write(bytes, to: name) }
        try files.write("notes\n", to: "empty/README.txt")
    }

    private var configurations: [String: String] {
        let (leaf, spare, junk) = (hash(pki.leaf.key), hash(backup), hash(pki.junk.key))
        func android(_ pin: String) -> String {
            let pins = "\n\(AppText.anchors("system"))\n\(AppText.pinSet(pin, spare, until: "2027-06-01"))"
            return AppText.android(AppText.domain(pins.replacing("<pin ", with: "\n<pin "), for: host, below: true))
        }
        func pinned(leaf: [String]? = nil, cas: [String]? = nil) -> String {
            AppText.ats(AppText.pinnedDomains(leaf: leaf, cas: cas, of: "example.com"))
        }
        func trustKit(_ pins: String...) -> String {
            AppText.trustKit(pins, settings: ",\n\"TSKEnforcePinning\": true", of: "example.com")
        }
        let chain = """
            package com.example.shop

            val client = OkHttpClient.Builder().certificatePinner(
                CertificatePinner.Builder()
                    .add("\(host)", "sha256/\(leaf)")
                    .add("\(host)", "sha256/\(spare)")
                    .build()
            ).build()

            """
        return [
            "android.xml": android(leaf), "android-wrong.xml": android(junk), "android-short.xml": android("AAAA"),
            "res/xml/network_security_config.xml": android(leaf), "Info.plist": pinned(leaf: [leaf]),
            "Info-wrong.plist": pinned(cas: [junk]), "Shop.app/Info.plist": pinned(cas: [hash(pki.interA.key)]),
            "trustkit.plist": AppText.plist(
                """
                <key>TSKConfiguration</key>
                <dict><key>TSKPinnedDomains</key><dict><key>\(host)</key><dict>
                <key>TSKPublicKeyHashes</key><array><string>\(leaf)</string><string>\(spare)</string></array>
                </dict></dict></dict>
                """), "trustkit.json": trustKit(leaf, spare), "trustkit-wrong.json": trustKit(junk, spare),
            "trustkit-one.json": trustKit(leaf),
            "react-native.json": "{\"\(host)\": {\"publicKeyHashes\": [\"\(leaf)\", \"\(spare)\"]}}\n",
            "Client.kt": chain,
            "hosts.txt": "# pins\n\(host) sha256/\(leaf) sha256/\(spare)\n*.example.net sha256/\(junk)\n",
            "pins.txt": "sha256/\(leaf)\nsha256/\(spare)\n", "one.txt": "sha256/\(leaf)\n",
            "twice.txt": "sha256/\(leaf)\nsha256/\(spare)\nsha256/\(leaf)\n",
            "short.txt": "sha256/\(leaf)\nsha256/\(leaf.dropLast(3))=\n",
            "slash.txt": "sha256/\(leaf.replacing("/", with: "_").replacing("+", with: "-"))\n", "nothing.txt": "",
            "prose.txt": "ask Bob for the pins\n",
        ]
    }
}
