import Base
package import PinFormats
package import Pinning

package struct OutlookRules: Sendable, Hashable {
    package var warnBefore: Threshold?
    package var failBefore: Threshold?
    /// The time for which a pin must be able to match, in seconds or as a part of the leaf's lifetime.
    package var minPinLife: Threshold?
    package var failsOnWarning = false
    package var ignored: Set<FindingID> = []

    package init(warnBefore: Threshold? = nil, failBefore: Threshold? = nil, minPinLife: Threshold? = nil) {
        (self.warnBefore, self.failBefore, self.minPinLife) = (warnBefore, failBefore, minPinLife)
    }

    func check() throws(Problem) {
        if let warning = warnBefore, let failure = failBefore, warning.isAlwaysBelow(failure) {
            throw .usage(
                "the warning before \(warning) never comes, since less than \(failure) fails earlier: warn before the larger of the two"
            )
        }
    }

    func merged(over other: OutlookRules) -> OutlookRules {
        var merged = OutlookRules(
            warnBefore: warnBefore ?? other.warnBefore, failBefore: failBefore ?? other.failBefore,
            minPinLife: minPinLife ?? other.minPinLife)
        merged.failsOnWarning = failsOnWarning || other.failsOnWarning
        merged.ignored = ignored.union(other.ignored)
        return merged
    }
}
