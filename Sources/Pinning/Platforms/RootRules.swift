/// The rules of platforms for single roots, by the SHA-256 of the certificate in hexadecimal digits.
extension Platform {
    /// Apple's own roots (support.apple.com/103272) need no timestamps (`SecPolicyCheckSystemTrustedCTRequired`).
    static let appleOwnRoots = [
        // Apple Root CA, G2, G3, Apple Root Certificate Authority
        "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
        "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
        "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
        "0d83b611b648a1a75eb8558400795375cad92e264ed8e9d7a757c1f5ee2bb22d",
    ]

    /// 2024-11-16T00:00:00Z (support.apple.com/121668, "issued after 15 November 2024"): the day before is good.
    static let november2024 = Timestamp(secondsSinceEpoch: 1_731_715_200)

    /// Entrust, AffirmTrust and Camerfirma (support.apple.com/121668).
    static let distrustedSinceNovember2024 = [
        // Chambers of Commerce Root - 2008, Global Chambersign Root - 2008
        "063e4afac491dfd332f3089b8542e94617d893d7fe944e10a7937ee29d9693c0",
        "136335439334a7698016a0d324de72284e079d7b5220bb8fbd747816eebebaca",
        // Entrust Root Certification Authority - G4, without a generation, .net (2048), G2, EC1
        "db3517d1f6732a2d5ab97c533ec70779ee3270a62fb4ac4238372460e6f01e88",
        "73c176434f1bc6d5adf45b0e76e727287c8de57616c1e6e6141a2b2cbc7d8e4c",
        "6dc47172e01cbcb0bf62580d895fe2b8ac9ad4f873801e0c10b9c837d21eb177",
        "43df5774b03e7fef5fe40d931a7bedf1bb2e6b42738c4e6d3841103d3aa7f339",
        "02ed0eb28c14da45165c566791700d6451d7fb56f0b2ab1d3b8eb070e56edff5",
        // AffirmTrust Commercial, Networking, Premium, Premium ECC
        "0376ab1d54c5f9803ce4b2e201a0ee7eef7b57b636e8a93c9b8d4860c96f5fa7",
        "0a81ec5a929777f145904af38d5d509f66b5e2c58fcdb531058b0e17f3f0b41b",
        "70a73f7f376b60074248904534b11482d5bf0e698ecc498df52577ebf2e93b9a",
        "bd71fdf6da97e4cf62d1647add2581b07d79adf8397eb4ecba9c5e8488821423",
    ]

    /// 2016-12-01T00:00:00Z (Apple's article "Blocking Trust for WoSign CA Free SSL Certificate G2").
    static let december2016 = Timestamp(secondsSinceEpoch: 1_480_550_400)

    static let distrustedSinceDecember2016 = [
        // Certification Authority of WoSign, G2, CA WoSign ECC Root
        "4b22d5a6aec99f3cdb79aa5ec06838479cd5ecba7164f7f22dc1d65f63d85708",
        "d487a56f83b07482e85e963394c1ecc2c9e51d0903ee946b02c301581ed99e16",
        "8b45da1c06f791eb0cabf26be588f5fb23165c2e614bf885562d0dce50b29b02",
        // StartCom Certification Authority (two certificates), G2
        "c766a9bef2d4071c863a31aa4920e813b2d198608cb7b7cfe21143b836df09ea",
        "e17890ee09a3fbf4f48b9c414a17d637b7a50647e9bc752322727fcc1742a911",
        "c7ba6567de93a798ae1faa791e712d378fae1f93c4397fea441bb7cbe6fd5995",
    ]

    func distrust(of path: PlatformPath) -> TrustFailure.Reason? {
        guard family == .apple, path.anchorClass == .system, let root = path.certificates.last?.fingerprint.hexadecimal
        else { return nil }
        let issuance = path.evidence?.earliestTimestamp ?? path.leaf.notBefore
        if Self.distrustedSinceNovember2024.contains(root), issuance >= Self.november2024 {
            return .issuedAfterDistrust(since: Self.november2024)
        }
        // All certificates below the root count here, intermediates as well.
        let isAfter = path.certificates.dropLast().contains { $0.notBefore >= Self.december2016 }
        return Self.distrustedSinceDecember2016.contains(root) && isAfter
            ? .issuedAfterDistrust(since: Self.december2016) : nil
    }
}
