import Testing
import Base

@Suite struct SecondsTextTests {
    @Test(arguments: [
        (Duration.seconds(3), "3 s"), (.milliseconds(1_500), "1.5 s"), (.milliseconds(50), "0.05 s"),
        (.milliseconds(10_001), "10.001 s"), (.milliseconds(0), "0 s"), (.microseconds(1), "0 s"),
        (.seconds(Int64.max), "9223372036854775807 s"),
    ]) func aTimeIsWrittenAsTheFlagTakesIt(time: Duration, text: String) { #expect(secondsText(time) == text) }
}
