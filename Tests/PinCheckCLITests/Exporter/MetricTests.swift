import PinCheckCLI
import Testing

/// Metrics as they are written.
@Suite struct MetricTests {
    @Test func aValueOfALabelIsOneLineWhateverItHolds() {
        var family = MetricFamily(name: "a", help: "Help.", kind: .counter)
        #expect(family.text.isEmpty)
        family.add([("b", "x\n\"y\"\\\u{1B}"), ("c", "")], 1)
        family.add([], 2, suffix: "_sum")
        #expect(
            family.text == """
                # HELP a Help.
                # TYPE a counter
                a{b="x\\\\u{A}\\"y\\"\\\\\\\\u{1B}",c=""} 1
                a_sum 2

                """)
    }

    @Test func bucketsHoldWhatIsNoLongerThanTheirEnd() {
        var histogram = Histogram()
        for time in [Duration.milliseconds(5), .milliseconds(6), .seconds(1), .seconds(100)] { histogram.add(time) }
        var family = MetricFamily(name: "a", help: "Help.", kind: .histogram)
        histogram.add(to: &family)
        let lines = family.text.split(separator: "\n").dropFirst(2)
        for line in [
            #"a_bucket{le="0.005"} 1"#, #"a_bucket{le="0.01"} 2"#, #"a_bucket{le="0.25"} 2"#, #"a_bucket{le="1"} 3"#,
            #"a_bucket{le="30"} 3"#, #"a_bucket{le="+Inf"} 4"#, "a_sum 101.011", "a_count 4",
        ] { #expect(lines.contains(line[...]), "\(line)") }
    }
}
