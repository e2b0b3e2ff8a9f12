import Pinning
import Testing
import X509

@Test func printStore() throws {}
