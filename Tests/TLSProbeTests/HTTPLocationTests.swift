import Testing
import TLSProbe

/// Where a redirect leads.
@Suite struct HTTPLocationTests {
    /// The examples of RFC 3986, 5.4, of which those without an http URL are refused.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
        ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
        ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"),
        ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"),
        ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
        ("g?y/../x", "/b/c/g?y/../x"), ("g#s/./x", "/b/c/g"), ("g#s/../x", "/b/c/g"),
    ]) func referencesAreResolvedAsTheStandardHasIt(reference: String, path: String) throws {
        let base = try HTTPLocation("http://a/b/c/d;p?q")
        #expect(try base.following(reference).description == "http://a" + path)
        let secure = try HTTPLocation("https://a:8443/b/c/d;p?q")
        #expect(try secure.following(reference).description == "https://a:8443" + path)
    }

    @Test(arguments: [
        ("//g", "https://g/"), ("//g:99?y", "https://g:99/?y"), ("http://g/x#y", "http://g/x"),
        ("HTTPS://G.example:443/X", "https://g.example/X"), ("https://g?a=b", "https://g/?a=b"),
        ("/x?u=https://other/", "https://a.example/x?u=https://other/"),
        ("x?u=https://other/", "https://a.example/dir/x?u=https://other/"),
        ("/a b\"<>", "https://a.example/a%20b%22%3C%3E"), ("/\u{E4}", "https://a.example/%C3%A4"),
        ("/%2e%2E/x", "https://a.example/%2e%2E/x"), ("./g:h", "https://a.example/dir/g:h"),
        ("/g:h", "https://a.example/g:h"), ("//[::1]/x", "https://[::1]/x"), ("/a//b", "https://a.example/a//b"),
    ]) func aReferenceMayLeadToAnotherServer(reference: String, result: String) throws {
        #expect(try HTTPLocation("https://a.example/dir/page").following(reference).description == result)
    }

    @Test(arguments: [
        ("g:h", HTTPLocationError.noScheme), ("http:g", .noScheme), ("file:///etc/passwd", .noScheme),
        ("ftp://g/", .noScheme), ("javascript:alert(1)", .noScheme), ("https://u:p@g/", .userName),
        ("//u@g/", .userName), ("https://g:0/", .port), ("https://g:x/", .port), ("https://g:65536/", .port),
        ("https://g:+443/", .port), ("https://g:-1/", .port), ("https://g:/", .port), ("https://g:٣/", .port),
    ]) func whatIsNoPlaceToAskAtIsRefused(reference: String, error: HTTPLocationError) throws {
        let base = try HTTPLocation("https://a.example/")
        #expect(throws: error) { try base.following(reference) }
        #expect(throws: HTTPLocationError.self) { try base.following("https://") }
        #expect(throws: HTTPLocationError.self) { try base.following("///path") }
    }

    @Test func originsAreOfOneSchemeHostAndPort() throws {
        let base = try HTTPLocation("https://a.example/x")
        #expect(try base.hasOrigin(of: HTTPLocation("https://A.example:443/y?z")))
        for other in ["http://a.example/x", "http://a.example:443/x", "https://a.example:444/x", "https://b.example/x"]
        { #expect(try !base.hasOrigin(of: HTTPLocation(other))) }
    }

    @Test(
        arguments: [
            ("bytes 0-0/1", 0, 0, 1), ("bytes 5-9/10", 5, 9, 10), ("BYTES 5-9/*", 5, 9, nil),
            ("bytes */10", nil, nil, 10),
        ] as [(String, Int?, Int?, Int?)]) func rangesAreRead(text: String, first: Int?, last: Int?, total: Int?) throws
    {
        let range = try #require(ContentRange(text))
        #expect(range.bytes?.lowerBound == first && range.bytes?.upperBound == last && range.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 5-9", "bytes 5-9/", "bytes 9-5/10", "bytes 5-10/10", "bytes */*", "bytes -5/10",
        "bytes 5-/10", "bytes 5-9/10/11", "bytes  5-9/10", "bytes 5-9/-1", "bytes +5-9/10", "items 5-9/10",
        "bytes 5-9/99999999999999999999", "bytes 0x5-9/10", "bytes 5-9/10 ",
    ]) func whatContradictsItselfIsNoRange(text: String) { #expect(ContentRange(text) == nil) }
}
