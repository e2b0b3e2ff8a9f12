import Testing
import Base

@Suite struct UserInfoTests {
    @Test(arguments: [
        ("https://deploy:s3cr3t@api.example.com/a", "https://…@api.example.com/a"),
        ("https://s3cr3t@api.example.com", "https://…@api.example.com"),
        ("socks5h://u:s3@cr3t@proxy.example:1080", "socks5h://…@proxy.example:1080"),
        ("https://u:s3/cr3t@api.example.com/", "https://…@api.example.com/"),
        ("https://u:s3 cr3t@api.example.com/", "https://…@api.example.com/"),
        ("deploy:s3cr3t@api.example.com:8443", "…@api.example.com:8443"),
        ("connect=deploy:s3cr3t@192.0.2.1", "connect=…@192.0.2.1"),
        ("the value 'u:s3cr3t@api.example.com' is none", "the value '…@api.example.com' is none"),
        ("https://…@api.example.com/", "https://…@api.example.com/"),
    ]) func whatStandsBeforeAHostIsHidden(text: String, shown: String) {
        #expect(UserInfo.hidden(in: text) == shown)
        #expect(quoted(text) == "'\(shown)'")
        #expect(quoted("https://u:\(String(repeating: "s3cr3t", count: 40))@a.example/") == "'https://…@a.example/'")
    }

    @Test(arguments: [
        "https://npm.example.com/@scope/name", "https://npm.example.com:8443/@scope/name", "https://[::1]/@scope",
        "email:ops@example.com", "mailto:ops@example.com", "ops@example.com", "Error: ops@example.com is a word",
        "/tmp/a:b@2x.png", "@Assets/icon@2x.png", "a:b", "",
    ]) func whatIsNoUserStays(text: String) { #expect(UserInfo.hidden(in: text) == text) }

    @Test func nothingIsShownBeforeTheHostOfWhatIsToNameOne() {
        #expect(UserInfo.hiddenBeforeHost("s3cr3t@a.example") == "…@a.example")
        #expect(UserInfo.hiddenBeforeHost("ftp://s3cr3t@a.example/x") == "ftp://…@a.example/x")
        #expect(UserInfo.hiddenBeforeHost("u:p://s@a.example") == "u:p://…@a.example")
        #expect(UserInfo.hiddenBeforeHost("a.example") == "a.example")
    }
}
