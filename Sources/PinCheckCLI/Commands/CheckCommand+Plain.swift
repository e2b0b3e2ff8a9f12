// The options of `check` without the parser. Each has to be set: it has no value before.

extension CheckCommand {
    init(_ plain: PlainArguments) {
        self.init()
        targets = plain.targets
        given = TargetOptions(plain)
        plan = PlanOptions(plain)
        evaluation = EvaluationOptions(plain)
        devices = DeviceOptions(plain)
        outlook = OutlookOptions(plain)
        names = NameOptions(plain)
        connection = ConnectionOptions(plain)
        clientCertificate = ClientCertificateOptions(plain)
        variants = VariantOptions(plain)
        http = HTTPOptions(plain)
        changes = ChangeOptions(plain)
        output = OutputOptions(plain)
    }
}

extension TargetOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        lists = plain.texts("--targets")
        policy = plain.texts("--policy")
    }
}

extension PlanOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        baseline = plain.text("--baseline")
        next = plain.texts("--next")
        rotation = RotationOptions(plain)
    }
}

extension RotationOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        allow = plain.texts("--allow")
        update = plain.flag("--update")
    }
}

extension EvaluationOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        pins = plain.texts("--pins")
        pinnedpubkey = plain.text("--pinnedpubkey")
        client = plain.text("--client")
        mode = plain.text("--mode")
        allowInvalidCertificates = plain.flag("--allow-invalid-certificates")
        noValidateDomainName = plain.flag("--no-validate-domain-name")
        anchors = plain.texts("--anchors")
        andSystem = plain.flag("--and-system")
        at = plain.text("--at")
        extraRoot = plain.texts("--extra-root")
        intermediate = plain.texts("--intermediate")
    }
}

extension DeviceOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        device = plain.texts("--device")
        deviceData = plain.text("--device-data")
    }
}

extension OutlookOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        warnBefore = plain.text("--warn-before")
        failBefore = plain.text("--fail-before")
        minPinLife = plain.text("--min-pin-life")
        failOn = plain.text("--fail-on")
        ignore = plain.texts("--ignore")
    }
}

extension NameOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        verifyName = plain.text("--verify-name")
        host = plain.text("--host")
        header = plain.texts("--header")
    }
}

extension ConnectionOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        connect = plain.texts("--connect")
        connectTo = plain.texts("--connect-to")
        resolve = plain.texts("--resolve")
        sni = plain.text("--sni")
        noSNI = plain.flag("--no-sni")
        port = plain.text("--port")
        ipv4Only = plain.flag("-4")
        ipv6Only = plain.flag("-6")
        timeout = plain.text("--timeout")
        retries = plain.text("--retries")
        minimumTLS = plain.text("--min-tls")
        maximumTLS = plain.text("--max-tls")
        proxy = plain.text("--proxy")
        noProxy = plain.flag("--no-proxy")
        alpn = plain.text("--alpn")
        groups = plain.text("--groups")
        ciphers = plain.text("--ciphers")
        sigalgs = plain.text("--sigalgs")
        jobs = plain.text("--jobs")
    }
}

extension ClientCertificateOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        clientCertificate = plain.text("--cert")
        clientKey = plain.text("--key")
    }
}

extension VariantOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        allAddresses = plain.flag("--all-addresses")
        addresses = plain.texts("--addresses")
        httpDNS = plain.text("--httpdns")
        dnsOverHTTPS = plain.text("--doh")
        keyTypes = plain.text("--key-types")
        thorough = plain.flag("--thorough")
    }
}

extension HTTPOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        request = plain.text("--request")
        expectStatus = plain.text("--expect-status")
    }
}

extension ChangeOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        verbose = plain.flag("--verbose")
        state = plain.text("--state")
    }
}

extension OutputOptions {
    fileprivate init(_ plain: PlainArguments) {
        self.init()
        format = plain.texts("--format", "-f")
        output = plain.text("--output", "-o")
        explain = plain.flag("--explain")
        quiet = plain.flag("--quiet", "-q")
        color = plain.text("--color")
    }
}
