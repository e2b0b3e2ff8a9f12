import Pinning
import Rotation

/// What is asked for the time ahead.
struct OutlookRules: Hashable, Sendable {
    /// How much must be left.
    var limits = OutlookLimits()
    /// Whether a warning changes the exit status.
    var failsOnWarning = false

    /// Refuses limits that contradict each other.
    func check() throws(RequestError) {
        if let warning = limits.warnBefore, let failure = limits.failBefore, warning.isAlwaysBelow(failure) {
            throw .neverWarns(warning, since: failure)
        }
    }

    func merged(over other: OutlookRules) -> OutlookRules {
        OutlookRules(
            limits: OutlookLimits(
                warnBefore: limits.warnBefore ?? other.limits.warnBefore,
                failBefore: limits.failBefore ?? other.limits.failBefore,
                minPinLife: limits.minPinLife ?? other.limits.minPinLife
            ),
            failsOnWarning: failsOnWarning || other.failsOnWarning
        )
    }
}
