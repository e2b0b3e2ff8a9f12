import PinCheckCLI
import Testing

/// What runs at once, and what is answered again.
@Suite struct LimitingTests {
    private let soon = ContinuousClock.now + .seconds(600)

    @Test func whoComesWhenThereIsNoRoomWaitsInLine() async {
        let slots = Slots(jobs: 2, size: 10)
        #expect(await slots.enter(size: 1, until: soon))
        #expect(await slots.enter(size: 1, until: soon))
        async let third = slots.enter(size: 1, until: soon)
        while slots.counts.waiting < 1 { await Task.yield() }
        #expect(slots.counts == (2, 1))
        slots.leave(size: 1)
        #expect(await third)
        #expect(slots.counts == (2, 0))
    }

    @Test func whoWaitsTooLongIsSentAway() async {
        let slots = Slots(jobs: 1, size: 10)
        #expect(await slots.enter(size: 1, until: soon))
        #expect(await !slots.enter(size: 1, until: .now))
        #expect(await !slots.enter(size: 1, until: .now + .milliseconds(1)))
        #expect(slots.counts == (1, 0))
    }

    @Test func whoGoesAwayIsForgotten() async {
        let slots = Slots(jobs: 1, size: 10)
        #expect(await slots.enter(size: 1, until: soon))
        let waiting = Task { await slots.enter(size: 1, until: soon) }
        while slots.counts.waiting < 1 { await Task.yield() }
        waiting.cancel()
        #expect(await !waiting.value)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await slots.enter(size: 1, until: soon)
        }
        late.cancel()
        #expect(await !late.value)
        #expect(slots.counts == (1, 0))
    }

    @Test func whatIsLargerThanAllRoomRunsAlone() async {
        let slots = Slots(jobs: 8, size: 10)
        #expect(await slots.enter(size: 64, until: soon))
        #expect(await !slots.enter(size: 1, until: .now))
        slots.leave(size: 64)
        #expect(await slots.enter(size: 9, until: soon))
        // A small one behind a large one does not overtake it.
        let large = Task { await slots.enter(size: 2, until: soon) }
        while slots.counts.waiting < 1 { await Task.yield() }
        #expect(await !slots.enter(size: 1, until: .now))
        slots.leave(size: 9)
        #expect(await large.value)
    }

    @Test func whoNeedsWhatIsUnderWayWaitsForIt() async {
        let work = SharedWork<String>()
        #expect(work.begin("a"))
        #expect(!work.begin("a") && work.begin("b"))
        let waiting = (0..<3).map { _ in Task { await work.wait(for: "a", until: soon) } }
        while work.waitingCount < 3 { await Task.yield() }
        work.end("b")
        #expect(work.waitingCount == 3)
        work.end("a")
        for task in waiting { await task.value }
        #expect(work.waitingCount == 0 && work.begin("a"))
        // What is over by then, or never began, is not waited for.
        await work.wait(for: "b", until: soon)
    }

    @Test func whoHasNoTimeOrGoesAwayDoesNotWaitForWhatIsUnderWay() async {
        let work = SharedWork<String>()
        #expect(work.begin("a"))
        await work.wait(for: "a", until: .now)
        await work.wait(for: "a", until: .now + .milliseconds(1))
        let waiting = Task { await work.wait(for: "a", until: soon) }
        while work.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await waiting.value
        #expect(work.waitingCount == 0)
    }

    @Test func nobodyIsLostHoweverManyCome() async {
        let slots = Slots(jobs: 3, size: 4)
        let count = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let size = index % 4 + 1
                    guard await slots.enter(size: size, until: soon) else { return false }
                    await Task.yield()
                    slots.leave(size: size)
                    return true
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 500)
        #expect(slots.counts == (0, 0))
    }

    @Test func anAnswerIsGivenAgainForItsTime() {
        let cache = AnswerCache<String, String>(keeping: .seconds(10))
        let start = ContinuousClock.now
        cache.keep("one", for: "a", at: start)
        #expect(cache.answer(for: "a", at: start + .seconds(9)) == "one")
        #expect(cache.answer(for: "b", at: start) == nil)
        #expect(cache.answer(for: "a", at: start + .seconds(10)) == nil)
        #expect(cache.count == 0)
        for number in 0..<10_000 { cache.keep("many", for: "\(number)", at: start) }
        #expect(cache.count <= 4_096)
        let none = AnswerCache<String, String>(keeping: .zero)
        none.keep("one", for: "a", at: start)
        #expect(none.answer(for: "a", at: start) == nil)
    }
}
