import Base
import PinChecking
import PinFormats
import TLSProbe

extension TextRenderer {
    func text(_ result: PinsResult) -> String {
        var blocks = result.sources.map { layout.folded(block($0, at: result.time).joined(separator: "\n")) }
        let groups = PinGroup.merged(result.groups(result.owners).filter { !$0.items.isEmpty })
        if let advice = PinRemark.backup(groups).first { blocks.append(layout.folded(style.faint(advice), indent: 0)) }
        for (name, all) in result.sources.filter({ $0.recommended != nil }).grouped(by: \.name)
        where all.map({ Set($0.recommended?.choices.map(\.item.spkiSHA256) ?? []) }).distinct.count > 1 {
            blocks.append("\(safe(name, length: 120)) serves several chains: ship the pins of all its blocks")
        }
        var total = RunTotal()
        let servers = result.sources.filter { $0.endpoint != nil || $0.recommended != nil }
        for (name, all) in servers.grouped(by: \.name) { total.add(name, .worst(all.map(ExitStatus.init))) }
        if total.count > 1 { blocks.append(lines(total).joined(separator: "\n")) }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private func block(_ source: KeySource, at time: Timestamp) -> [String] {
        var lines = [heading(source)]
        if let recommended = source.recommended {
            return lines + advice(recommended) + verdict(source, isHeldBack: recommended.isHeldBack)
        }
        for (index, item) in source.items.enumerated() {
            lines += ["  \(index) " + owner(item, at: time), "      " + item[.okhttp]]
        }
        let absent = source.absentKeyTypes.map { "  no certificate with a key for \($0)" }
        return lines + alsoSent(source.alsoSent) + absent + verdict(source)
    }

    private func advice(_ recommendation: Recommendation) -> [String] {
        func folded(_ line: String) -> String { layout.folded(line, indent: 4) }
        func excerpt(_ text: String) -> String { TerminalText.excerpt(text, to: 2000) }
        func words(_ choice: Recommendation.Choice) -> String {
            let words = choice.reason.id == "server-key" ? ". Renew with this key by " : ". It lasts until "
            return excerpt(choice.owner + ": " + choice.reason.told + (choice.until.map { words + $0.date } ?? ""))
        }
        var lines: [String] = []
        if let ca = recommendation.ca {
            let pages = recommendation.choices.compactMap(\.root).map { "\($0.source), \($0.date)" }
            let known =
                pages.first.map { page in " (\(page)\(pages.allSatisfy { $0 == page } ? "" : " and more"))" } ?? ""
            lines.append(folded("  CA: " + excerpt(ca + known)))
        }
        lines.append(folded("  ship \(recommendation.amount)" + excerpt(recommendation.summary)))
        for (index, choice) in recommendation.choices.enumerated() {
            lines += ["  \(index + 1) \(choice.item.spkiSHA256)", folded("    " + words(choice))]
        }
        if let intermediate = recommendation.intermediate {
            lines += ["  – \(intermediate.item.spkiSHA256)", folded("    " + words(intermediate))]
        }
        if let missing = recommendation.missing {
            lines.append(folded("  \(style.doubtful("warning")): " + excerpt(missing.reason.told)))
        }
        if recommendation.missing?.id == "reserve-missing" {
            lines += [
                "      openssl ecparam -genkey -name prime256v1 -noout -out backup.key",
                "      pincheck pins … --recommend --key backup.key",
            ]
        }
        return lines
    }

    private func verdict(_ source: KeySource, isHeldBack: Bool = false) -> [String] {
        let held = isHeldBack ? "nothing is recommended until you say whose chain this is" : nil
        guard let finding = source.warning == nil ? held ?? source.reason?.told : source.reason?.told else { return [] }
        let words = source.warning.map { style.bad(safe($0, length: 800)) } ?? safe(finding, length: 600)
        return ["\(style.token(ExitStatus(source)))  \(safe(source.name, length: 120))  \(words)"]
    }

    private func heading(_ source: KeySource) -> String {
        var text = safe(source.name, length: 120)
        if let group = source.group { return text + rules(of: group) }
        guard let endpoint = source.endpoint else { return text }
        if let peer = source.peer, peer.description != source.name { text += " → \(peer)" }
        text += "   " + (endpoint.request.serverNameIndication.map { "SNI " + safe($0) } ?? "no SNI")
        return text + (source.keyType.map { "   asked for \($0)" } ?? "")
    }

    private func rules(of group: PinGroup) -> String {
        guard let entry = group.entry else { return "" }
        var parts: [String] = []
        if !group.origin.isEmpty { parts.append("from " + safe(group.origin, length: 200)) }
        switch group.position {
        case .anywhere: break
        case .leaf: parts.append("the server's own key")
        case .authority: parts.append("a CA's key")
        case .both: parts.append("both the server's and a CA's key")
        }
        if group.isExempt { parts.append("exempt from pinning") }
        if entry.enforcesPinning == false { parts.append("not enforced") }
        if let expiration = entry.expiration { parts.append("until \(expiration.date)") }
        return parts.isEmpty ? "" : "   " + parts.listed
    }

    private func owner(_ item: PinItem, at time: Timestamp) -> String {
        var parts = [item.role.rawValue]
        if let subject = item.subject { parts.append(safe(subject.isEmpty ? "(no subject)" : subject, length: 120)) }
        if item.source != "presented" { parts[parts.count - 1] += " (\(safe(item.source, length: 120)))" }
        if let key = item.publicKey { parts.append(safe(key.algorithm.description, length: 40)) }
        if let certificate = item.certificate {
            let days = time.wholeDays(to: certificate.notAfter)
            let date = certificate.notAfter.date
            parts.append(days < 0 ? style.bad("expired \(date)") : "expires \(date) (\(days) d)")
        }
        return parts.joined(separator: "  ")
    }
}
