package enum PinCheck { package static func main() async {} }
