import Testing
import X509

/// The public suffix list as TrustKit's rules and wildcards use it.
@Suite struct PublicSuffixTests {
    @Test(arguments: [
        ("www.example.co.uk", "co.uk"), ("example.com", "com"), ("com", "com"), ("someone.github.io", "github.io"),
        ("a-name-long-enough-not-to-be-stored-in-place.and-more.example.com", "com"),
    ]) func theSuffixIsThatOfTheList(name: String, suffix: String) {
        // Long names live on the heap: under the address sanitizer this showed that libpsl answers with a part of its input.
        #expect(SystemPublicSuffixList.publicSuffix(of: name) == suffix)
    }

    @Test(arguments: ["localhost", "api.internal-zone", ""]) func aNameUnderNoRuleHasNone(name: String) {
        #expect(SystemPublicSuffixList.publicSuffix(of: name) == nil)
    }
}
