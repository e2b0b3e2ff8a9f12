import PinCheckCLI

@main
struct Entrypoint {
    static func main() async {
        await PinCheck.main()
    }
}
