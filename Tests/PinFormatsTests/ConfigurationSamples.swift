import Foundation
import Pinning

/// A small configuration in each format, as projects have them.
enum Samples {
    static let a = first.base64
    static let b = second.base64

    static let android = """
        <?xml version="1.0" encoding="utf-8"?>
        <network-security-config>
            <base-config><trust-anchors><certificates src="system" /></trust-anchors></base-config>
            <domain-config cleartextTrafficPermitted="false">
                <domain includeSubdomains="true"> API.example.com
                </domain>
                <pin-set expiration="2040-06-01">
                    <pin digest="SHA-256">\(a)</pin>
                    <!-- backup -->
                    <pin digest="SHA-256">\(b)</pin>
                </pin-set>
                <trustkit-config enforcePinning="true" disableDefaultReportUri="true">
                    <report-uri>https://r.example.com/pin</report-uri>
                </trustkit-config>
            </domain-config>
            <debug-overrides><trust-anchors><certificates src="user" /></trust-anchors></debug-overrides>
        </network-security-config>
        """

    static let infoPlist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>CFBundleName</key><string>App</string>
            <key>LSRequiresIPhoneOS</key><true/>
            <key>NSAppTransportSecurity</key>
            <dict><key>NSPinnedDomains</key><dict>
                <key>example.com</key>
                <dict>
                    <key>NSIncludesSubdomains</key><true/>
                    <key>NSPinnedCAIdentities</key>
                    <array><dict><key>SPKI-SHA256-BASE64</key><string>\(a)</string></dict></array>
                </dict>
            </dict></dict>
        </dict>
        </plist>
        """

    static let trustKit = """
        {
          "TSKSwizzleNetworkDelegates": false,
          "TSKPinnedDomains": {
            "example.com": {
              "TSKIncludeSubdomains": true,
              "TSKPublicKeyHashes": [
                "\(a)",
                "\(b)"
              ],
              "TSKPublicKeyAlgorithms": ["TSKAlgorithmRsa2048"],
              "TSKExpirationDate": "2040-06-01"
            },
            "static.example.com": {"kSKExcludeSubdomainFromParentPolicy": true}
          }
        }
        """

    static let reactNative = """
        // pins of the app
        {'example.com': {includeSubdomains: true, publicKeyHashes: ['\(a)', '\(b)'], expirationDate: '2040-06-01'},}
        """

    static let kotlin = """
        object Api {
            private const val HOST = "api.example.com"
            // .add("old.example.com", "sha256/…")
            val pinner = CertificatePinner.Builder()
                .add(HOST, "sha256/\(a)",
                    "sha256/\(b)")
                .add("**.example.net", /* the CDN */ "sha256/\(b)")
                .build()
            val list = mutableListOf<String>().add("sha256")
        }
        """

    static let okHttpList = """
        # host pins
        api.example.com  sha256/\(a),sha256/\(b)
        *.example.net    sha256/\(b)
        """

    /// The samples under names that say nothing.
    static let all = [android, infoPlist, trustKit, reactNative, kotlin, okHttpList]

    /// The plist in Apple's binary form.
    static func binaryInfoPlist() throws -> [UInt8] {
        let object = try PropertyListSerialization.propertyList(from: Data(infoPlist.utf8), format: nil)
        return Array(try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0))
    }
}
