import Pinning

/// What is asked for the time ahead.
package struct OutlookRules: Hashable, Sendable {
    package var limits = OutlookLimits()
    package var failsOnWarning = false
    /// The ids of findings that are not told.
    package var ignored: Set<String> = []

    package init(limits: OutlookLimits = OutlookLimits(), failsOnWarning: Bool = false, ignored: Set<String> = []) {
        self.limits = limits
        self.failsOnWarning = failsOnWarning
        self.ignored = ignored
    }

    package func check() throws(RequestError) {
        if let warning = limits.warnBefore, let failure = limits.failBefore, warning.isAlwaysBelow(failure) {
            throw .neverWarns(warning, since: failure)
        }
    }

    package func merged(over other: OutlookRules) -> OutlookRules {
        OutlookRules(
            limits: OutlookLimits(
                warnBefore: limits.warnBefore ?? other.limits.warnBefore,
                failBefore: limits.failBefore ?? other.limits.failBefore,
                minPinLife: limits.minPinLife ?? other.limits.minPinLife),
            failsOnWarning: failsOnWarning || other.failsOnWarning, ignored: ignored.union(other.ignored))
    }
}
