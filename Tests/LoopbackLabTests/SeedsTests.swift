import LoopbackLab
import Testing

@Suite struct SeedsTests {
    @Test func aSampleIsTheFixedSeedsAndAFreshOne() {
        #expect(Seeds.seeds(fixed: 3, rounds: 1, fresh: 1_000_000) == [1, 2, 3, 1_000_000])
        let sample = Seeds.sample(3)
        #expect(sample.prefix(3) == [1, 2, 3])
        #expect(sample.count.isMultiple(of: 4))
        #expect(sample == Seeds.sample(3))
    }

    @Test func moreRoundsAddFreshSeeds() {
        #expect(Seeds.seeds(fixed: 2, rounds: 3, fresh: 70) == [1, 2] + (70...76))
        #expect(Seeds.seeds(fixed: 0, rounds: 2, fresh: .max) == [.max, 0])
    }
}
