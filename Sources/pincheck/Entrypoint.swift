import PinCheckCLI

@main struct Entrypoint { static func main() { PinCheck.main() } }
