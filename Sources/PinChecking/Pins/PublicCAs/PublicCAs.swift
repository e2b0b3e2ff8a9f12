// Written by make-public-cas: do not edit, but public-cas.json.
// swift-format-ignore-file

extension CA {
    /// The public CAs whose roots are known.
    package static let published: [CA] = [
        CA("Let's Encrypt", [
            Root("ISRG Root X1", "0b9fa5a59eed715c26c1020c711b4f6ec42d58b0015e14337a39dad301c5afc3", "RSA 4096", .inUse, signedBy: ["DST Root CA X3"], "https://letsencrypt.org/certificates/", "2026-01-08"),
            Root("ISRG Root X2", "762195c225586ee6c0237456e2107dc54f1efc21f61a792ebd515913cce68332", "EC P-384", .inUse, signedBy: ["ISRG Root X1"], "https://letsencrypt.org/certificates/", "2026-01-08"),
        ]),
        CA("Google Trust Services", [
            Root("GTS Root R1", "871a9194f4eed5b312ff40c84c1d524aed2f778bbff25f138cf81f680a7adc67", "RSA 4096", .inUse, signedBy: ["GlobalSign Root CA"], "https://pki.goog/repository/", "2026-11-22"),
            Root("GTS Root R2", "55f77de41c03792428f8d518c55104225be43a5598d926a528ad653e1ccec7bf", "RSA 4096", .inUse, "https://pki.goog/repository/", "2026-11-22"),
            Root("GTS Root R3", "4179edd981ef747477b49626408af43daa2ca7ab7f9e082c1060f84096774348", "EC P-384", .inUse, "https://pki.goog/repository/", "2026-11-22"),
            Root("GTS Root R4", "9847e5653e5e9e847516e5cb818606aa7544a19be67fd7366d506988e8d84347", "EC P-384", .inUse, signedBy: ["GlobalSign Root CA"], "https://pki.goog/repository/", "2026-11-22"),
        ]),
        CA("Amazon Trust Services", [
            Root("Amazon Root CA 1", "fbe3018031f9586bcbf41727e417b7d1c45c2f47f93be372a17b96b50757d5a2", "RSA 2048", .inUse, signedBy: ["Starfield Services Root Certificate Authority - G2"], "https://www.amazontrust.com/repository/", "2026-11-22"),
            Root("Amazon Root CA 2", "7f4296fc5b6a4e3b35d3c369623e364ab1af381d8fa7121533c9d6c633ea2461", "RSA 4096", .inUse, signedBy: ["Starfield Services Root Certificate Authority - G2"], "https://www.amazontrust.com/repository/", "2026-11-22"),
            Root("Amazon Root CA 3", "36abc32656acfc645c61b71613c4bf21c787f5cabbee48348d58597803d7abc9", "EC P-256", .inUse, signedBy: ["Starfield Services Root Certificate Authority - G2"], "https://www.amazontrust.com/repository/", "2026-11-22"),
            Root("Amazon Root CA 4", "f7ecded5c66047d28ed6466b543c40e0743abe81d109254dcf845d4c2c7853c5", "EC P-384", .inUse, signedBy: ["Starfield Services Root Certificate Authority - G2"], "https://www.amazontrust.com/repository/", "2026-11-22"),
            Root("Starfield Services Root Certificate Authority - G2", "2b071c59a0a0ae76b0eadb2bad23bad4580b69c3601b630c2eaf0613afa83f92", "RSA 2048", .older, "https://www.amazontrust.com/repository/", "2026-11-22"),
        ]),
        CA("DigiCert", [
            Root("DigiCert Global Root G2", "8bb593a93be1d0e8a822bb887c547890c3e706aad2dab76254f97fb36b82fc26", "RSA 2048", .inUse, until: "2029-04-15", "https://knowledge.digicert.com/general-information/digicert-root-and-intermediate-ca-certificate-updates-2023", "2026-11-22"),
            Root("DigiCert Global Root G3", "b94c198300cec5c057ad0727b70bbe91816992256439a7b32f4598119dda9c97", "EC P-384", .inUse, "https://knowledge.digicert.com/alerts/digicert-tls-root-strategy-aligning-with-industry-standards", "2026-04-08"),
            Root("DigiCert TLS RSA4096 Root G5", "6a97b51c8219e93e5dec64bad5806cdeb0f8355be47e757010b702456e01aafd", "RSA 4096", .inUse, until: "2036-01-15", "https://knowledge.digicert.com/general-information/digicert-root-and-intermediate-ca-certificate-updates-2023", "2026-11-22"),
            Root("DigiCert TLS ECC P384 Root G5", "a02fafa192c8cb81cb1341554f9c05b71cca2a890b0d1298d683647c961efbdf", "EC P-384", .inUse, "https://knowledge.digicert.com/alerts/digicert-tls-root-strategy-aligning-with-industry-standards", "2026-04-08"),
            Root("DigiCert Global Root CA", "aff988906dde12955d9bebbf928fdcc31cce328d5b9384f21c8941ca26e20391", "RSA 2048", .older, until: "2026-04-15", "https://knowledge.digicert.com/alerts/digicert-tls-root-strategy-aligning-with-industry-standards", "2026-04-08"),
            Root("DigiCert High Assurance EV Root CA", "5a889647220e54d6bd8a16817224520bb5c78e58984bd570506388b9de0f075f", "RSA 2048", .older, until: "2026-04-15", "https://knowledge.digicert.com/alerts/digicert-tls-root-strategy-aligning-with-industry-standards", "2026-04-08"),
            Root("DigiCert Assured ID Root CA", "23f2edff3ede90259a9e30f40af8f912a5e5b3694e6938440341f6060e014ffa", "RSA 2048", .older, until: "2026-04-15", "https://knowledge.digicert.com/alerts/digicert-tls-root-strategy-aligning-with-industry-standards", "2026-04-08"),
        ]),
        CA("Sectigo", [
            Root("Sectigo Public Server Authentication Root R46", "0e8bb18bbeefb381be21bfc1a206d317298462ad104855f04a0542699708d3d4", "RSA 4096", .inUse, signedBy: ["USERTrust RSA Certification Authority"], "https://www.sectigo.com/knowledge-base/detail/Sectigo-Public-Root-CAs-Migration", "2026-11-22"),
            Root("Sectigo Public Server Authentication Root E46", "b0b56335468561f5bb9fa12d801784a633a572705d34f32b643445dfa8b005d1", "EC P-384", .inUse, signedBy: ["USERTrust ECC Certification Authority"], "https://www.sectigo.com/knowledge-base/detail/Sectigo-Public-Root-CAs-Migration", "2026-11-22"),
            Root("USERTrust RSA Certification Authority", "c784333d20bcd742b9fdc3236f4e509b8937070e73067e254dd3bf9c45bf4dde", "RSA 4096", .older, "https://www.sectigo.com/knowledge-base/detail/Sectigo-Public-Root-CAs-Migration", "2026-11-22"),
            Root("USERTrust ECC Certification Authority", "2021917e98263945c859c43f1d73cb4139053c414fa03ca3bc7ee88614298f3b", "EC P-384", .older, "https://www.sectigo.com/knowledge-base/detail/Sectigo-Public-Root-CAs-Migration", "2026-11-22"),
            Root("AAA Certificate Services", "bd153ed7b0434f6886b17bce8bbe84ed340c7132d702a8f4fa318f756ecbd6f3", "RSA 2048", .older, "https://www.sectigo.com/knowledge-base/detail/Sectigo-Public-Root-CAs-Migration", "2026-11-22"),
        ]),
        CA("GlobalSign", [
            Root("GlobalSign Root R46", "ae7f962cb9e6a7dbf7b833fb18fa9b71a89175df949c232b6a9ef7cb3df2bbfc", "RSA 4096", .inUse, signedBy: ["GlobalSign Root CA - R3"], "https://support.globalsign.com/ssl/general-ssl/removal-tls-trust-bit-roots-r1-and-r3-mozilla", "2025-06-23"),
            Root("GlobalSign Root E46", "e04a022ce32f4ccf2c7f6046287b828a32a909f5e751447f83fd2c71f6fd8173", "EC P-384", .inUse, signedBy: ["GlobalSign ECC Root CA - R5"], "https://support.globalsign.com/ssl/general-ssl/removal-tls-trust-bit-roots-r1-and-r3-mozilla", "2025-06-23"),
            Root("GlobalSign Root CA - R3", "706bb1017c855c59169bad5c1781cf597f12d2cad2f63d1a4aa37493800ffb80", "RSA 2048", .older, until: "2027-04-15", "https://support.globalsign.com/ssl/general-ssl/removal-tls-trust-bit-roots-r1-and-r3-mozilla", "2025-06-23"),
            Root("GlobalSign ECC Root CA - R5", "7e0ead76bb6819dc2f54511a84354f6e8b307b9dd82058ea6c004f01d9dda5df", "EC P-384", .older, until: "2029-04-15", "https://support.globalsign.com/ssl/general-ssl/removal-tls-trust-bit-roots-r1-and-r3-mozilla", "2025-06-23"),
            Root("GlobalSign Root CA - R6", "682747f8ba621b87cdd3bc295ed5cabce722a1c0c0363d1d68b38928d2787f1e", "RSA 4096", .older, until: "2029-12-10", "https://support.globalsign.com/ssl/general-ssl/removal-tls-trust-bit-roots-r1-and-r3-mozilla", "2025-06-23"),
            Root("GlobalSign Root CA", "2bcee858158cf5465fc9d76f0dfa312fef25a4dca8501da9b46b67d1fbfa1b64", "RSA 2048", .older, until: "2025-04-15", "https://support.globalsign.com/ssl/general-ssl/removal-tls-trust-bit-roots-r1-and-r3-mozilla", "2025-06-23"),
        ]),
        CA("Microsoft", [
            Root("Microsoft RSA Root Certificate Authority 2017", "b2f7298b52bf2c3cac4ddfe72de4d682ac58957595982f2b62301af597c699c5", "RSA 4096", .inUse, "https://learn.microsoft.com/en-us/azure/security/fundamentals/azure-ca-details", "2026-11-22"),
            Root("Microsoft ECC Root Certificate Authority 2017", "35f53ce1264611e03340fe37e1ec7d4cc986c5613dca70fd04aa44545f2daf28", "EC P-384", .inUse, "https://learn.microsoft.com/en-us/azure/security/fundamentals/azure-ca-details", "2026-11-22"),
        ]),
    ]
}
