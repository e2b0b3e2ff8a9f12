package import Base
import Pinning

/// What a policy file says: the hosts to check, and for each of them how.
package struct Policy: Sendable {
    package let path: String
    /// The hosts in their order, at least one; what the defaults say is part of each.
    package let hosts: [Host]

    package struct Host: Sendable {
        /// The host as the file has it, perhaps with a port.
        package let name: String
        package let place: PinPlace
        /// What is said of it: its own settings, and the defaults for the rest.
        package let settings: [(key: String, value: DocumentNode)]

        package var hostName: String {
            guard let colon = name.lastIndex(of: ":"), name.firstIndex(of: ":") == colon else { return name }
            return String(name[..<colon])
        }

        /// Its sources of pins; none when nothing is said of pins.
        ///
        /// - Throws: `Problem` for what is no text.
        func pins() throws(Problem) -> [PinSource] {
            guard let node = settings.first(where: { $0.key == "pins" })?.value else { return [] }
            guard node.elements?.isEmpty != true else {
                throw Problem(
                    .missingValue, at: node.place, "'pins' is an empty list",
                    remedy: "leave the key out, or list something")
            }
            var sources: [PinSource] = []
            for element in node.elements ?? [node] {
                let path = RegularFile.path(try element.text(), besideFilesIn: PathParts(element.file.path).directory)
                sources.append(PinSource(path, at: element.place))
            }
            return sources
        }
    }
}
