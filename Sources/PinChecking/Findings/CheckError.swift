package import Base
package import PinFormats

/// Why nothing can be checked: what is asked for contradicts itself, or cannot be read.
///
/// Never a verdict.
public struct CheckError: Error, Hashable, Sendable {
    /// Whose fault it is, by which a program chooses how to end.
    public enum Kind: Hashable, Sendable {
        /// What is asked for makes no sense.
        case request
        /// A file is malformed, or a client cannot be set up with what it holds.
        case data
        /// A file is missing or unreadable.
        case missing
        /// The fault is pincheck's own, or of the system it runs on.
        case software
    }

    package enum Problem: Hashable, Sendable {
        /// Something that a sentence says best.
        case said(SafeText)
        /// Pins cannot be read.
        case pins(PinFormatError)
        /// The pins are configured host by host, and no host is named.
        case hostIsNotNamed
        /// Certificates are to be compared, and all the pins are hashes or keys.
        case noCertificatesForMode
        /// The system's roots are to be added to anchors, and there are none.
        case nothingToAddTheSystemTo
        /// Pins are to be asked about what is about to be deployed, and there are none.
        case noPinsForNext
        /// There is no such device; perhaps this one was meant.
        case unknownDevice(UnknownDevice, nearest: String?)
        /// A device is named on which none of the clients runs; these do.
        case deviceWithoutClient(String, clients: [String], fitting: [String])
        /// A client is named that runs on none of the devices.
        case clientOnNoDevice(String, devices: [String])
        /// Settings of AFNetworking's are given, and the pins are for these clients.
        case settingsOfAFNetworking(beside: [String])
        /// Device data is given, and no device is named that could be in it.
        case deviceDataWithoutDevice
    }

    /// Whose fault it is.
    public let kind: Kind
    package let problem: Problem
    /// Where it stands in a list or a policy, `nil` for what the caller says itself.
    package let place: PinPlace?

    package init(_ kind: Kind, _ problem: Problem, at place: PinPlace? = nil) {
        self.kind = kind
        self.problem = problem
        self.place = place
    }

    package static func said(_ kind: Kind, _ text: SafeText) -> CheckError { CheckError(kind, .said(text)) }

    func at(_ place: PinPlace) -> CheckError { CheckError(kind, problem, at: self.place ?? place) }
}

extension CheckError: CustomStringConvertible {
    /// One line that says what is wrong and what to do, in words of no program's.
    public var description: String { prefix + problem.description }

    /// The place with a colon behind it, empty where there is none or what is wrong names its own place in the same file.
    package var prefix: String {
        guard let place else { return "" }
        if case .pins(let error) = problem, let path = error.place.path, path == place.path { return "" }
        return "\(place): "
    }
}

extension CheckError.Problem: CustomStringConvertible {
    /// What is wrong and what to do, in words of no program's.
    package var description: String {
        switch self {
        case .said(let text): text.description
        case .pins(let error): error.description
        case .hostIsNotNamed: "the pins are configured host by host: name the host"
        case .noCertificatesForMode:
            "certificates are to be compared, and all the pins given are hashes or keys: pin a certificate file, or "
                + "compare public keys"
        case .nothingToAddTheSystemTo: "the system's roots are to be added to anchors, and there are none: give anchors"
        case .noPinsForNext: "no pins are given that what is about to be deployed could match: give pins"
        case .unknownDevice(let error, let nearest): "\(error)" + (nearest.map { ": did you mean '\($0)'?" } ?? "")
        case .deviceWithoutClient(let device, let clients, let fitting):
            "none of the clients (\(clients.joined(separator: ", "))) runs on \(device): choose from "
                + fitting.joined(separator: ", ")
        case .clientOnNoDevice(let client, let devices):
            "the client \(client) runs on none of the devices (\(devices.joined(separator: ", "))): leave it or its "
                + "configuration out, or name a device of its system"
        case .settingsOfAFNetworking(let clients):
            "mode, allowInvalidCertificates and validatesDomainName are AFNetworking's, and the pins are for "
                + "\(clients.joined(separator: ", ")): choose the client as well"
        case .deviceDataWithoutDevice: "device data is given and no device is named: name one, or leave the data out"
        }
    }
}

extension CheckError {
    /// Pins, or other files, that cannot be read.
    package init(_ error: PinFormatError) { self.init(error.kind == .missing ? .missing : .data, .pins(error)) }

    static func reading<Value>(_ read: () throws(RequestError) -> Value) throws(CheckError) -> Value {
        do { return try read() } catch { throw CheckError.said(.request, error.message) }
    }
}
