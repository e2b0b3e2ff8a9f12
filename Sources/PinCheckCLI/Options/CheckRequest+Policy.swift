import Base
import PinChecking
import PinFormats
import Pinning
import TLSProbe

extension CheckRequest {
    /// What a policy says of a host, all but its ports.
    ///
    /// - Throws: ``CommandError`` with the line and the key of a value that cannot be understood.
    init(_ settings: [PolicyKey: PolicyValue]) throws(CommandError) {
        self.init()
        // In one order, so that of several mistakes always the same is told.
        for key in PolicyKey.allCases {
            guard let value = settings[key] else { continue }
            do { try set(key, value) } catch let error as ClientSelectionError {
                throw .data("\(value.place): '\(key.rawValue)': \(CommandError.message(error))")
            } catch { throw .data("\(value.place): '\(key.rawValue)': \(error)") }
        }
    }

    private mutating func set(_ key: PolicyKey, _ value: PolicyValue) throws {
        switch key {
        case .ports: break
        case .pins: judging.pins = value.texts.map { PinSource($0.text, at: $0.place) }
        case .client: judging.clients = try ClientSelection(value.texts.map(\.text))
        case .mode: judging.mode = value.text.flatMap(AFSecurityPolicy.PinningMode.init(rawValue:))
        case .allowInvalidCertificates: judging.allowsInvalidCertificates = value.flag
        case .validatesDomainName: judging.validatesDomainName = value.flag
        case .anchors: judging.trust.anchors = value.texts.map(\.text)
        case .andSystem: judging.trust.includesSystem = value.flag
        case .extraRoots: judging.extraRoots = value.texts.map(\.text)
        case .intermediates: judging.intermediates = value.texts.map(\.text)
        case .device: judging.devices = DeviceSelection(value.texts.map(\.text))
        case .deviceData: judging.deviceData = value.text
        case .connect:
            connection.addresses.given = try value.texts.flatMap { try ConnectAddress.readAny($0.text) }
            connection.addresses.isOfOneTarget = true
        case .sni:
            connection.serverName =
                value.flag == false ? ServerNameChoice.none : try value.text.map(ServerNameChoice.named)
        case .verifyName: names.reference = value.text.map(Names.Reference.init)
        case .host: names.host = try value.text.map { Names.Host(try Place($0[...], of: .host, in: $0)) }
        case .ipVersion: connection.family = value.text == "4" ? .ipv4 : .ipv6
        case .warnBefore: judging.outlook.limits.warnBefore = try value.text.map(Threshold.init)
        case .failBefore: judging.outlook.limits.failBefore = try value.text.map(Threshold.init)
        case .minPinLife: judging.outlook.limits.minPinLife = try value.text.map(Threshold.init)
        case .ignore: judging.outlook.ignored = try IgnoredFindings.read(value.texts.map(\.text))
        case .timeout: connection.timeout = try value.number.map(Connection.timeout(seconds:))
        case .retries: connection.retries = value.integer
        case .minTLS: connection.minimumTLS = value.text.flatMap(TLSVersion.init(number:))
        case .maxTLS: connection.maximumTLS = value.text.flatMap(TLSVersion.init(number:))
        case .alpn:
            connection.applicationProtocols = try value.texts.flatMap { try Connection.applicationProtocols($0.text) }
        case .proxy:
            connection.proxy =
                value.flag == false ? .direct : try value.text.map { try ProxyChoice.named($0, by: "\(value.place)") }
        case .request: http.path = try value.text.map(HTTP.path)
        case .expectStatus: http.expected = try ExpectedStatus(value.texts.map(\.text))
        }
    }
}
